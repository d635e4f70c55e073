import LeydenStorage

/// One entry of the table `inverse`: a source whose property leads to a target.
struct InverseEntry: Hashable {
  /// The table's name.
  static let table = "inverse"

  /// What the link leads to.
  let target: ObjectReference
  /// The link's property.
  let property: UInt32
  /// The row of the object that has the link.
  let source: UInt64

  /// A source that leads to a target.
  init(target: ObjectReference, property: UInt32, source: UInt64) {
    self.target = target
    self.property = property
    self.source = source
  }

  /// Reads a key of 24 bytes.
  init(_ key: UnsafeRawBufferPointer) {
    func number(_ range: Range<Int>) -> UInt64 {
      unsafe key[range].reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(
      target: ObjectReference(
        type: UInt32(truncatingIfNeeded: number(0..<4)), row: number(4..<12)),
      property: UInt32(truncatingIfNeeded: number(12..<16)), source: number(16..<24))
  }

  /// The key, 24 bytes.
  var key: [UInt8] {
    var key = Self.prefix(of: target)
    key.append(property)
    key.append(source)
    return key.bytes
  }

  /// The beginning of the keys of all links to a target.
  static func prefix(of target: ObjectReference) -> KeyEncoder {
    var key = KeyEncoder(capacity: 24)
    key.append(target.type)
    key.append(target.row)
    return key
  }

  /// The beginning of the keys of a property's links to a target.
  static func prefix(of target: ObjectReference, _ property: UInt32) -> KeyEncoder {
    var key = prefix(of: target)
    key.append(property)
    return key
  }

  /// The bytes of the value.
  ///
  /// - Parameters:
  ///   - multiplicity: How often the source's property holds the target.
  ///   - sourceType: The source's type.
  /// - Returns: What stands under ``key``.
  func value(multiplicity: UInt32, sourceType: UInt32) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: 12)
    let key = key
    unsafe value.withUnsafeMutableBytes { value in
      unsafe value.storeBytes(of: multiplicity.littleEndian, toByteOffset: 4, as: UInt32.self)
      unsafe value.storeBytes(of: sourceType.littleEndian, toByteOffset: 8, as: UInt32.self)
      let sum = unsafe Self.sum(key: key, value: UnsafeRawBufferPointer(value))
      unsafe value.storeBytes(of: sum.littleEndian, as: UInt32.self)
    }
    return value
  }

  /// The checksum that belongs into a value.
  static func sum(key: [UInt8], value: UnsafeRawBufferPointer) -> UInt32 {
    let property = key[12..<16].reduce(0) { $0 << 8 | UInt32($1) }
    let source = key[16..<24].reduce(0) { $0 << 8 | UInt64($1) }
    let start = unsafe key.withUnsafeBytes { unsafe checksum(of: $0, type: property, row: source) }
    return unsafe checksum(of: UnsafeRawBufferPointer(rebasing: value[4...]), after: start)
  }

  /// A value's parts.
  struct Value {
    let multiplicity: UInt32
    let sourceType: UInt32

    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
      guard bytes.count == 12 else { throw .corrupted("an inverse entry of \(bytes.count) bytes") }
      multiplicity = unsafe UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      sourceType = unsafe UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
  }

  /// Calls `body` with each link to objects of a type until it returns false.
  static func forEach(
    toType type: UInt32, in transaction: Transaction,
    _ body: (InverseEntry) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let table = try transaction.table(named: table) else { return }
    var prefix = KeyEncoder(capacity: 4)
    prefix.append(type)
    unsafe try withBytes(of: prefix.bytes) { (prefix) throws(StorageError) in
      var cursor = try transaction.cursor(in: table)
      var found = unsafe try cursor.seek(prefix)
      while found, unsafe cursor.key.count == 24, unsafe cursor.key.starts(with: prefix) {
        guard try body(unsafe InverseEntry(cursor.key)) else { return }
        found = try cursor.next()
      }
    }
  }

  /// Calls `body` with each link to a target, in the order of properties and sources, until it returns
  /// false; of one property where that is given.
  static func forEach(
    to target: ObjectReference, _ property: UInt32? = nil, in transaction: Transaction,
    _ body: (InverseEntry, Value) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let table = try transaction.table(named: table) else { return }
    let prefix = property.map { Self.prefix(of: target, $0) } ?? Self.prefix(of: target)
    unsafe try withBytes(of: prefix.bytes) { (prefix) throws(StorageError) in
      var cursor = try transaction.cursor(in: table)
      var found = unsafe try cursor.seek(prefix)
      while found, unsafe cursor.key.count == 24, unsafe cursor.key.starts(with: prefix) {
        let property = unsafe cursor.key[12..<16].reduce(0) { $0 << 8 | UInt32($1) }
        let entry = InverseEntry(target: target, property: property, source: cursor.row)
        guard try body(entry, unsafe try Value(cursor.value)) else { return }
        found = try cursor.next()
      }
    }
  }
}
