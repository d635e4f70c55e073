import LeydenStorage

/// One collection of one object: what keys of the table `lists` begin with.
struct CollectionKey: Hashable {
  /// The table's name.
  static let table = "lists"
  /// The order of the first part of a list.
  static let firstOrder: UInt64 = 1 << 63
  /// What lies between the orders of parts that follow each other.
  static let orderStep: UInt64 = 1 << 32

  /// The owner's type.
  let type: UInt32
  /// The owner's row.
  let row: UInt64
  /// The property.
  let property: UInt32

  /// The beginning of all keys of the collection.
  var prefix: KeyEncoder {
    var key = KeyEncoder(capacity: 48)
    key.append(type)
    key.append(row)
    key.append(property)
    return key
  }

  /// The key of a part of a list.
  func part(_ order: UInt64) -> [UInt8] {
    var key = prefix
    key.append(order)
    return key.bytes
  }

  /// The order of the part whose key has these bytes behind the prefix.
  static func order(_ suffix: UnsafeRawBufferPointer) throws(StorageError) -> UInt64 {
    guard suffix.count == 8 else { throw .corrupted("a list has a key of another kind") }
    return unsafe UInt64(bigEndian: suffix.loadUnaligned(as: UInt64.self))
  }

  /// What the key of a part has behind the prefix.
  static func suffix(_ order: UInt64) -> [UInt8] {
    unsafe withUnsafeBytes(of: order.bigEndian) { unsafe Array($0) }
  }

  /// Bytes in front of what tells parts, elements or entries of one collection apart.
  static let prefixLength = 16

  /// The checksum that belongs into an entry of a set or a map: over what its key has behind the prefix,
  /// and its bytes behind the checksum.
  func sum(entry bytes: UnsafeRawBufferPointer, _ suffix: UnsafeRawBufferPointer) -> UInt32 {
    unsafe checksum(of: bytes, after: checksum(of: suffix, type: property, row: row))
  }

  /// The bytes of an entry with its checksum in front.
  func withSum(_ bytes: [UInt8], _ suffix: [UInt8]) -> [UInt8] {
    let sum: UInt32 = unsafe bytes.withUnsafeBytes { bytes in
      unsafe suffix.withUnsafeBytes { unsafe self.sum(entry: bytes, $0) }
    }
    let start: [UInt8] = unsafe withUnsafeBytes(of: sum.littleEndian) { unsafe Array($0) }
    return start + bytes
  }

  /// Calls `body` with what stands behind the prefix of each key of the collection, and the value.
  func forEach(
    in transaction: Transaction,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let table = try transaction.table(named: Self.table) else { return }
    unsafe try withBytes(of: prefix.bytes) { (prefix) throws(StorageError) in
      var cursor = try transaction.cursor(in: table)
      var found = unsafe try cursor.seek(prefix)
      while found, unsafe cursor.key.starts(with: prefix) {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: cursor.key[Self.prefixLength...])
        guard unsafe try body(rest, cursor.value) else { return }
        found = try cursor.next()
      }
    }
  }
}

/// What a record's slot says of a collection.
enum CollectionForm {
  /// All of it is here; no bytes where it is empty.
  case packed([UInt8])
  /// So many elements are in the table.
  case table(count: Int)

  /// The first byte of a slot whose collection is in the table.
  private static let tableForm: UInt8 = 2

  init(_ slot: [UInt8]) {
    if slot.first == Self.tableForm, slot.count == 7 {
      self = .table(count: slot[1...].reversed().reduce(0) { $0 << 8 | Int($1) })
    } else {
      self = .packed(slot)
    }
  }

  /// What the slot holds; `nil` for null.
  var slot: [UInt8]? {
    switch self {
    case .packed(let bytes): bytes.isEmpty ? nil : bytes
    case .table(let count): [Self.tableForm] + (0..<6).map { UInt8(count >> ($0 * 8) & 0xff) }
    }
  }
}

extension RecordView {
  /// What a slot says of a collection; an empty one where the record's layout has none.
  func collection(
    _ slot: Int?, in transaction: Transaction
  ) throws(StorageError) -> CollectionForm {
    guard let slot, !isNull(slot) else { return .packed([]) }
    guard case .structure(let bytes) = try value(slot, .list, in: transaction) else {
      return .packed([])
    }
    return CollectionForm(bytes)
  }

  /// Whether two slots hold collections of equal elements, whose long values lie in different places.
  func holdsSameElements(
    _ slot: Int, as other: RecordView, _ otherSlot: Int, _ property: Catalog.StoredProperty,
    in transaction: Transaction
  ) throws(StorageError) -> Bool {
    guard property.type.isCollection, ElementCoding(property).width == 0,
      case .packed(let old) = try collection(slot, in: transaction),
      case .packed(let new) = try other.collection(otherSlot, in: transaction),
      old.count == new.count
    else { return false }
    func contents(_ bytes: [UInt8]) throws(StorageError) -> [(String?, StoredValue)] {
      let reader = CollectionReader(
        key: nil, property: property, form: .packed(bytes), transaction: transaction)
      var contents: [(String?, StoredValue)] = []
      if property.type == .map {
        try reader.forEachEntry {
          contents.append(($0, $1))
          return true
        }
      } else {
        contents = try reader.elements().map { (nil, $0) }
      }
      return contents
    }
    let (before, after) = (try contents(old), try contents(new))
    guard before.count == after.count else { return false }
    return zip(before, after).allSatisfy { left, right in
      left.0.map { Array($0.utf8) } == right.0.map { Array($0.utf8) }
        && left.1.isIdentical(to: right.1)
    }
  }
}
