import Foundation
import LeydenStorage

/// A collection of one object, read in a transaction.
struct CollectionReader {
  /// Which one; `nil` for a collection in an embedded object, which is always packed.
  let key: CollectionKey?
  /// The property, as the catalog has it.
  let property: Catalog.StoredProperty
  /// What the owner's record says.
  let form: CollectionForm
  /// Where to read.
  let transaction: Transaction

  private var coding: ElementCoding { ElementCoding(property) }

  /// The number of elements.
  func count() throws(StorageError) -> Int {
    switch form {
    case .table(let count): return count
    case .packed(let bytes):
      guard !bytes.isEmpty else { return 0 }
      return unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        unsafe try ElementsView(packed: bytes, width: 0).count
      }
    }
  }

  /// Calls `body` with each element, in order, until it returns false; with the values of a map.
  func forEach(_ body: (StoredValue) throws(StorageError) -> Bool) throws(StorageError) {
    if property.type == .map {
      return try forEachEntry { (_, value) throws(StorageError) in try body(value) }
    }
    let coding = coding
    switch form {
    case .packed(let bytes):
      guard !bytes.isEmpty else { return }
      unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        try unsafe ElementsView(packed: bytes, width: coding.width).forEach {
          (element, _, _) throws(StorageError) in
          try body(try coding.value(element, in: transaction))
        }
      }
    case .table:
      unsafe try key?.forEach(in: transaction) { (suffix, value) throws(StorageError) in
        guard property.type == .list else {
          unsafe try verify(entry: value, suffix)
          return try body(try unsafe self.setElement(value))
        }
        unsafe try verify(part: value, try CollectionKey.order(suffix))
        var goesOn = true
        try unsafe ElementsView(part: value).forEach { (element, _, _) throws(StorageError) in
          goesOn = try body(try coding.value(element, in: transaction))
          return goesOn
        }
        return goesOn
      }
    }
  }

  /// All elements, in order.
  func elements() throws(StorageError) -> [StoredValue] {
    var elements: [StoredValue] = []
    elements.reserveCapacity(try count())
    try forEach {
      elements.append($0)
      return true
    }
    return elements
  }

  /// The element at a position of a list, or `nil` where there is none.
  ///
  /// `directory` gives the parts of a list that is in the table.
  func element(
    _ position: Int, _ directory: (CollectionKey) throws(StorageError) -> ListDirectory
  ) throws(StorageError) -> StoredValue? {
    switch form {
    case .packed(let bytes):
      guard !bytes.isEmpty else { return nil }
      return unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        let view = unsafe try ElementsView(packed: bytes, width: coding.width)
        guard position < view.count else { return nil }
        return try coding.value(try view.element(position), in: transaction)
      }
    case .table:
      guard let key else { return nil }
      let directory = try directory(key)
      guard position < directory.count, let (part, offset) = directory.find(position) else {
        return nil
      }
      return unsafe try withPart(directory.parts[part].order, of: key) {
        (bytes) throws(StorageError) in
        try coding.value(try unsafe ElementsView(part: bytes).element(offset), in: transaction)
      }
    }
  }

  private func withPart<Result>(
    _ order: UInt64, of key: CollectionKey,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    unsafe try withBytes(of: key.part(order)) { (part) throws(StorageError) in
      guard let table = try transaction.table(named: CollectionKey.table),
        let bytes = unsafe try transaction.value(for: part, in: table)
      else { throw .corrupted("a part of \(property.name) of row \(key.row) is missing") }
      unsafe try verify(part: bytes, order)
      return unsafe try body(bytes)
    }
  }

  func verify(
    part bytes: UnsafeRawBufferPointer, _ order: UInt64
  ) throws(StorageError) {
    unsafe try Elements.verify(
      part: bytes, order: order, property: property.id, row: key?.row ?? 0)
  }

  func verify(
    entry value: UnsafeRawBufferPointer, _ suffix: UnsafeRawBufferPointer
  ) throws(StorageError) {
    guard let key, value.count >= 4,
      unsafe key.sum(entry: UnsafeRawBufferPointer(rebasing: value[4...]), suffix)
        == UInt32(littleEndian: value.loadUnaligned(as: UInt32.self))
    else { throw .corrupted("an entry of \(property.name) does not match its checksum") }
  }

  private func setElement(_ value: UnsafeRawBufferPointer) throws(StorageError) -> StoredValue {
    guard value.count > 4 else { return .null }
    var offset = 4
    return try coding.value(
      unsafe try ElementsView.element(in: value, at: &offset, width: coding.width),
      in: transaction)
  }

  // MARK: Sets

  /// Whether a set holds a value.
  func contains(_ value: StoredValue, _ rule: LongKey) throws(StorageError) -> Bool {
    switch form {
    case .packed:
      let wanted = coding.key(of: value, rule).bytes
      var found = false
      try forEach { (element) throws(StorageError) in
        found = coding.key(of: element, rule).bytes == wanted && element.equals(value)
        return !found
      }
      return found
    case .table: return try entry(of: value, rule) != nil
    }
  }

  /// The key of a set's element in the table, or `nil` where the set does not hold the value.
  func entry(of value: StoredValue, _ rule: LongKey) throws(StorageError) -> [UInt8]? {
    let (bytes, isShortened) = coding.key(of: value, rule)
    return unsafe try entry(bytes, isShortened) { (stored) throws(StorageError) in
      if !isShortened { return true }
      return unsafe try setElement(stored).equals(value)
    }
  }

  // MARK: Maps

  /// Calls `body` with each entry of a map, in the order of the keys, until it returns false.
  func forEachEntry(
    _ body: (String, StoredValue) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let coding = coding
    func call(_ entry: MapEntries.Entry) throws(StorageError) -> Bool {
      try body(
        String(decoding: entry.key, as: UTF8.self),
        try coding.value(stored: entry.element, in: transaction))
    }
    switch form {
    case .packed(let bytes):
      guard !bytes.isEmpty else { return }
      let entries = unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        unsafe try MapEntries(packed: bytes, width: coding.width).entries
      }
      for entry in entries where try !call(entry) { return }
    case .table:
      unsafe try key?.forEach(in: transaction) { (suffix, value) throws(StorageError) in
        unsafe try verify(entry: value, suffix)
        return try call(try unsafe Self.mapEntry(value))
      }
    }
  }

  /// The value of a key, or `nil` where the map does not have it.
  func value(forKey text: String, _ rule: LongKey) throws(StorageError) -> StoredValue? {
    var found: StoredValue?
    switch form {
    case .packed:
      try forEachEntry { (key, value) in
        if key == text { found = value }
        return found == nil
      }
    case .table:
      guard let key = try entry(forKey: text, rule) else { return nil }
      found = unsafe try withValue(key) { (value) throws(StorageError) in
        try coding.value(stored: try unsafe Self.mapEntry(value).element, in: transaction)
      }
    }
    return found
  }

  /// The key of an entry in the table, or `nil` where the map does not have the text.
  func entry(forKey text: String, _ rule: LongKey) throws(StorageError) -> [UInt8]? {
    let (bytes, isShortened) = ElementCoding.key(of: text, rule)
    return unsafe try entry(bytes, isShortened) { (stored) throws(StorageError) in
      if !isShortened { return true }
      return String(decoding: unsafe try Self.mapEntry(stored).key, as: UTF8.self) == text
    }
  }

  static func mapEntry(_ value: UnsafeRawBufferPointer) throws(StorageError) -> MapEntries.Entry {
    guard value.count > 4 else { throw .corrupted("an entry of a map is too short") }
    return unsafe try MapEntries.decode(UnsafeRawBufferPointer(rebasing: value[4...]))
  }

  // MARK: Entries

  /// The key that `isRight` accepts among those that a value's key may stand under.
  private func entry(
    _ bytes: [UInt8], _ isShortened: Bool,
    _ isRight: (UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) -> [UInt8]? {
    guard let key else { return nil }
    let start = key.prefix.bytes + bytes
    for twin in 0...(isShortened ? 255 : 0) {
      let full = isShortened ? start + [UInt8(twin)] : start
      let answer = unsafe try withValue(full) { (value) throws(StorageError) in
        unsafe try isRight(value)
      }
      guard let answer else { continue }
      if answer { return full }
    }
    return nil
  }

  private func withValue<Result>(
    _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      guard let table = try transaction.table(named: CollectionKey.table),
        let value = unsafe try transaction.value(for: key, in: table)
      else { return nil }
      return unsafe try body(value)
    }
  }
}

extension StoredValue {
  /// Whether both are the same element of a set: as `==`, with one not-a-number; numbers of an any-value
  /// by their value.
  func equals(_ other: StoredValue) -> Bool {
    if self == other { return true }
    var (left, right) = (KeyEncoder(), KeyEncoder())
    left.append(anyValue: self)
    right.append(anyValue: other)
    return left.bytes == right.bytes && type != .string && type != .data
  }
}
