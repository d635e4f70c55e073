import LeydenStorage

// SAFETY: the memory is allocated and freed with the instance, and used by one isolation domain.
/// A live embedded object's way to its record inside its owner's.
///
/// The record is found by its number, wherever it moved within its owner's property, and is read from a copy. What is set is written into a new copy of
/// the record, that into the owner's, and so on up to the row.
@safe
package final class EmbeddedRow: ManagedRow {
  /// What the object lies in: a row, or another embedded object.
  package let owner: ManagedRow
  /// The owner's column that holds it, alone or among others.
  package let column: Int
  private let ownNumber: UInt64
  /// Where it was found last in a list.
  package private(set) var position = 0
  /// Where it was found last in a map.
  package private(set) var key: String?
  private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

  init(owner: ManagedRow, column: Int, number: UInt64, _ binding: TypeBinding) {
    self.owner = owner
    self.column = column
    ownNumber = number
    super.init(session: owner.session, binding: binding)
  }

  deinit { unsafe memory.deallocate() }

  override package var root: LiveRow { owner.root }

  override package var number: UInt64 { ownNumber }

  override var depth: Int { owner.depth + 1 }

  /// Says where the object probably is, which saves looking for it.
  package func expect(at position: Int?, key: String?) {
    self.position = position ?? 0
    self.key = key
  }

  // MARK: Reading

  override package var exists: Bool {
    guard owner.exists, take() else { return false }
    leave()
    return true
  }

  override package func enter(reading column: Int32) -> Bool {
    if take() { return true }
    noteMissed("an object \(binding.model.name)", "its owner was deleted or let it go")
    return false
  }

  override package func leave() {
    // Outside of a transaction that is kept, what was located ends with the last of these calls.
    if session.passes > 0 { forget() }
    owner.leave()
  }

  /// Locates the record without a word where there is none.
  private func take() -> Bool {
    guard owner.enter(reading: Int32(column)) else { return false }
    do throws(StorageError) {
      session.bind(self)
      if let bytes = try find(), try locate(bytes) { return true }
    } catch { session.fail(StoreError(error, at: session.core.url)) }
    owner.leave()
    return false
  }

  private func locate(_ bytes: [UInt8]) throws(StorageError) -> Bool {
    if unsafe memory.count < bytes.count {
      unsafe memory.deallocate()
      unsafe memory = .allocate(byteCount: bytes.count, alignment: 8)
    }
    unsafe memory.copyBytes(from: bytes)
    let copy = unsafe UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
    let layout = unsafe try RecordView.layout(of: copy)
    if unsafe locate(at: copy, layout: layout) { return true }
    guard let transaction = session.readingTransaction else { return false }
    try session.refreshCatalog(in: transaction)
    session.bind(self)
    guard unsafe locate(at: copy, layout: layout) else {
      throw .corrupted("an object \(binding.model.name) has the unknown layout \(layout)")
    }
    return true
  }

  /// The record, in the owner that was located.
  private func find() throws(StorageError) -> [UInt8]? {
    guard ownNumber != 0, let property = owner.binding.properties[column] else { return nil }
    guard property.type != .embedded else { return owner.slotBytes(column).flatMap(ifOwn) }
    return try session.reader(of: owner, column).flatMap { (reader) throws(StorageError) in
      try find(in: reader)
    }
  }

  /// The record among those of a list or a map; notes where it is.
  private func find(in reader: CollectionReader) throws(StorageError) -> [UInt8]? {
    var found: [UInt8]?
    func isFound(_ value: StoredValue) -> Bool {
      if case .structure(let bytes) = value { found = ifOwn(bytes) }
      return found != nil
    }
    if reader.property.type == .map {
      if let key, let value = try reader.value(forKey: key, session.core.longKey),
        isFound(value)
      {
        return found
      }
      try reader.forEachEntry { (key, value) in
        if isFound(value) { self.key = key }
        return found == nil
      }
      return found
    }
    let value = try reader.element(position) { (list) throws(StorageError) in
      try session.directory(of: list, owner, in: reader.transaction)
    }
    if let value, isFound(value) { return found }
    var position = 0
    try reader.forEach { (value) in
      if isFound(value) { self.position = position }
      position += 1
      return found == nil
    }
    return found
  }

  private func ifOwn(_ record: [UInt8]) -> [UInt8]? {
    embeddedNumber(of: record) == ownNumber ? record : nil
  }

  /// The record as the store shows it; `nil` where it is gone.
  func record() -> [UInt8]? {
    guard take() else { return nil }
    defer { leave() }
    return unsafe located.map { unsafe Array($0) }
  }

  // MARK: Writing

  override func write(
    _ value: StoredValue, column: Int, _ writer: Writer
  ) throws(StoreError) {
    guard let old = record() else { throw .invalidatedObject(binding.name(of: column)) }
    guard let type = binding.stored, let property = binding.properties[column],
      let slot = type.slot(of: property.id, in: type.newestLayout)
    else { throw .corrupted("\(binding.name(of: column)) is not in the store's catalog") }
    let new = try writer.storage { () throws(StorageError) -> [UInt8]? in
      let record = try type.mutable(embedded: old)
      let before = try type.view(of: record).value(slot, property.type, in: writer.transaction)
      guard !before.isIdentical(to: value) else { return nil }
      try record.set(value, as: property.type, in: slot)
      return unsafe Array(record.finish(layout: type.newestLayout, embedded: ownNumber))
    }
    if let new { try replace(by: .structure(new), writer) }
  }

  /// Puts a new record in the place of the old one.
  private func replace(by record: StoredValue, _ writer: Writer) throws(StoreError) {
    guard let property = owner.binding.properties[column], property.type != .embedded else {
      return try owner.write(record, column: column, writer)
    }
    try owner.change(column: column, writer) { (collection) throws(StoreError) in
      let isThere = try writer.storage { () throws(StorageError) in
        try find(in: try writer.reader(of: collection)) != nil
      }
      guard isThere else { throw .invalidatedObject(binding.model.name) }
      if property.type == .map {
        try writer.set(record, forKey: key ?? "", collection)
      } else {
        try writer.replace(at: position, with: record, collection)
      }
    }
  }

  override func change(
    column: Int, _ writer: Writer,
    _ body: (WrittenCollection) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard take() else { throw .invalidatedObject(binding.name(of: column)) }
    let old = slotBytes(column) ?? []
    leave()
    guard let property = binding.properties[column] else {
      throw .corrupted("\(binding.name(of: column)) is not in the store's catalog")
    }
    let place = try writer.place(of: root.binding)
    let draft = CollectionDraft(old)
    try body(
      WrittenCollection(
        key: Writer.Key(type: place.type.id, row: root.row), place: place, property: property,
        draft: draft))
    guard draft.bytes != old else { return }
    try write(
      draft.bytes.isEmpty ? .null : .structure(draft.bytes), column: column, writer)
  }
}

/// A collection in an embedded object while a write changes it.
///
/// It is always packed, and is written into the embedded object when the change is done; its links
/// change with that.
final class CollectionDraft {
  /// The packed collection; empty where it has no elements.
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
}
