import LeydenStorage

/// What a write has done to collections in the table, compared with what they were.
extension Writer {
  /// The properties of a row whose collections in the table hold something else than before, though as
  /// many elements; without those of which that is known already.
  func changedCollections(
    of key: Key, _ type: Catalog.StoredType, besides known: ObjectChangeSet.Properties
  ) throws(StorageError) -> [Catalog.StoredProperty] {
    var changed: [Catalog.StoredProperty] = []
    for property in type.properties
    where property.type.isCollection && !known.contains(property.ordinal) {
      let identity = CollectionKey(type: key.type, row: key.row, property: property.id)
      guard let originals = originalEntries[identity] else { continue }
      let isSame =
        property.type == .list
        ? try isSameList(identity, originals, ElementCoding(property))
        : try areSameEntries(identity, originals, property)
      if !isSame { changed.append(property) }
    }
    return changed
  }

  /// Notes for changed collections that were and are in the table which entries came, less those that went.
  ///
  /// - Parameters:
  ///   - key: The row.
  ///   - type: Its type.
  ///   - record: The row's record now.
  ///   - properties: What changed of it: of collections that were in the table nothing more is known.
  /// - Throws: What reading may run into.
  func noteEntries(
    of key: Key, _ type: Catalog.StoredType, _ record: UnsafeRawBufferPointer,
    in properties: inout ObjectChangeSet.Properties
  ) throws(StorageError) {
    for property in type.properties
    where property.type.isCollection && properties.contains(property.ordinal)
      && !properties.before.contains(where: { $0.ordinal == property.ordinal })
    {
      let view = unsafe try type.view(of: record)
      let slot = try type.slot(of: property.id, in: view)
      guard case .table = try view.collection(slot, in: transaction) else { continue }
      let identity = CollectionKey(type: key.type, row: key.row, property: property.id)
      var difference: UInt64 = 0
      for (suffix, old) in originalEntries[identity] ?? [:] {
        let new = try entry(suffix, identity)
        if let new { difference &+= ValueFingerprint.of(entry: suffix, new, core.longKey) }
        if let old { difference &-= ValueFingerprint.of(entry: suffix, old, core.longKey) }
      }
      properties.insert(property.ordinal, before: difference)
    }
  }

  /// Gives a row's collections the entries in the table that they had before the write: they hold the same,
  /// and other programs know where.
  func restoreEntries(of key: Key, _ type: Catalog.StoredType) throws(StorageError) {
    for property in type.properties where property.type.isCollection {
      let identity = CollectionKey(type: key.type, row: key.row, property: property.id)
      for (suffix, old) in originalEntries[identity] ?? [:] {
        let table = try lists()
        unsafe try withBytes(of: identity.prefix.bytes + suffix) { (key) throws(StorageError) in
          guard let old else {
            _ = unsafe try transaction.delete(key, in: table)
            return
          }
          unsafe try withBytes(of: old) { (old) throws(StorageError) in
            unsafe try transaction.put(old, for: key, in: table)
          }
        }
      }
    }
  }

  /// Removes chunks that elements of collections do not refer to any more, where some rows are as they were
  /// before the write.
  func removeReplacedElements(_ restored: Set<Key>) throws(StorageError) {
    for (key, references) in releasedElements where !restored.contains(key) {
      for reference in references {
        try LargeValues.delete(reference, in: large, transaction: transaction)
      }
    }
    for key in restored {
      for reference in writtenElements[key] ?? [] {
        try LargeValues.delete(reference, in: large, transaction: transaction)
      }
    }
  }

  private func areSameEntries(
    _ identity: CollectionKey, _ originals: [[UInt8]: [UInt8]?],
    _ property: Catalog.StoredProperty
  ) throws(StorageError) -> Bool {
    for (suffix, old) in originals {
      let new = try entry(suffix, identity)
      guard (old == nil) == (new == nil) else { return false }
      guard let old, let new, old != new else { continue }
      let coding = ElementCoding(property)
      if property.type == .map {
        let (before, after) = unsafe try (
          withBytes(of: old, CollectionReader.mapEntry),
          withBytes(of: new, CollectionReader.mapEntry)
        )
        guard before.key == after.key, try areSame(before.element, after.element, coding) else {
          return false
        }
      } else if try !areSame(Array(old.dropFirst(4)), Array(new.dropFirst(4)), coding) {
        return false
      }
    }
    return true
  }

  private func entry(
    _ suffix: [UInt8], _ identity: CollectionKey
  ) throws(StorageError) -> [UInt8]? {
    unsafe try withBytes(of: identity.prefix.bytes + suffix) { (key) throws(StorageError) in
      unsafe try transaction.value(for: key, in: try lists()).map { unsafe Array($0) }
    }
  }

  /// Compares the elements of a list before and now: from each part that was written to up to where a part
  /// that was not stands at the same place in both.
  private func isSameList(
    _ identity: CollectionKey, _ originals: [[UInt8]: [UInt8]?], _ coding: ElementCoding
  ) throws(StorageError) -> Bool {
    var changed: [UInt64: [UInt8]?] = [:]
    for (suffix, old) in originals {
      let order = unsafe try withBytes(of: suffix) { (suffix) throws(StorageError) in
        unsafe try CollectionKey.order(suffix)
      }
      changed.updateValue(old, forKey: order)
    }
    let orders = changed.keys.sorted()
    var behind: UInt64?
    for (number, order) in orders.enumerated() where behind.map({ order > $0 }) ?? true {
      var before = PartSequence(identity, transaction, from: order, changed, orders[number...])
      var after = PartSequence(identity, transaction, from: order, [:], [])
      while true {
        if let left = try before.nextPart(), let right = try after.nextPart(),
          left.order == right.order, changed[left.order] == nil
        {
          behind = left.order
          break
        }
        switch (try before.next(), try after.next()) {
        case (nil, nil): return true
        case (let old?, let new?): guard try areSame(old, new, coding) else { return false }
        default: return false
        }
      }
    }
    return true
  }

  /// Whether two elements are the same value, wherever long ones lie.
  private func areSame(
    _ old: [UInt8]?, _ new: [UInt8]?, _ coding: ElementCoding
  ) throws(StorageError) -> Bool {
    if old == new { return true }
    guard let a = try coding.largeReference(in: old), let b = try coding.largeReference(in: new),
      a.total == b.total, a.checksum == b.checksum
    else { return false }
    // A checksum that is equal is a reason to look, and not a proof.
    return try LargeValues.read(a, in: large, transaction: transaction)
      == LargeValues.read(b, in: large, transaction: transaction)
  }
}

/// The elements of the parts of a list, from one on, as they are or as they were before a write.
private struct PartSequence {
  private let list: CollectionKey
  private let transaction: Transaction
  /// What parts were before, those that were not there among them.
  private let originals: [UInt64: [UInt8]?]
  /// Where they were, as far as it is not through.
  private var orders: ArraySlice<UInt64>
  /// Where to look for the next part; `nil` behind the last one.
  private var place: UInt64?
  private var waiting: (order: UInt64, bytes: [UInt8])?
  private var elements: Elements?
  private var position = 0

  init(
    _ list: CollectionKey, _ transaction: Transaction, from order: UInt64,
    _ originals: [UInt64: [UInt8]?], _ orders: ArraySlice<UInt64>
  ) {
    self.list = list
    self.transaction = transaction
    self.originals = originals
    self.orders = orders
    place = order
  }

  /// The part that follows, where the elements of the one before are through.
  mutating func nextPart() throws(StorageError) -> (order: UInt64, bytes: [UInt8])? {
    guard position == elements?.count ?? 0 else { return nil }
    if let waiting { return waiting }
    guard let from = place else { return nil }
    let stored = try storedPart(from)
    while let order = orders.first, order < from || (originals[order] ?? nil) == nil {
      orders.removeFirst()
    }
    let gone = orders.first
    if let gone, gone <= stored?.order ?? .max, let bytes = originals[gone] ?? nil {
      waiting = (gone, bytes)
    } else {
      waiting = stored
    }
    place = waiting.flatMap { $0.order == .max ? nil : $0.order + 1 }
    return waiting
  }

  /// The first part in the table from an order on that the write did not change.
  private func storedPart(
    _ from: UInt64
  ) throws(StorageError) -> (order: UInt64, bytes: [UInt8])? {
    guard let table = try transaction.table(named: CollectionKey.table) else { return nil }
    return unsafe try withBytes(of: list.part(from)) { (key) throws(StorageError) in
      var cursor = try transaction.cursor(in: table)
      var found = unsafe try cursor.seek(key)
      let prefix = unsafe UnsafeRawBufferPointer(rebasing: key[..<CollectionKey.prefixLength])
      while found, unsafe cursor.key.starts(with: prefix) {
        if originals[cursor.row] == nil { return (cursor.row, unsafe Array(cursor.value)) }
        found = try cursor.next()
      }
      return nil
    }
  }

  mutating func next() throws(StorageError) -> [UInt8]?? {
    while position == elements?.count ?? 0 {
      guard let part = try nextPart() else { return nil }
      waiting = nil
      position = 0
      elements = unsafe try withBytes(of: part.bytes) { (bytes) throws(StorageError) in
        try Elements(unsafe ElementsView(part: bytes))
      }
    }
    defer { position += 1 }
    return .some(elements?[position])
  }
}
