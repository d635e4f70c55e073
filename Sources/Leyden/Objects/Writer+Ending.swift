import Foundation
package import LeydenStorage

/// How a write becomes the next version, or nothing.
extension Writer {
  /// Adds what the catalog lacks of the models, and raises the schema's version.
  func bringCatalogUp(to models: [ModelType], schemaVersion: UInt64) throws(StoreError) {
    try storage { () throws(StorageError) in
      var writer = try CatalogWriter(transaction, catalog: catalog)
      try writer.add(models)
      try writer.raise(schemaVersion: schemaVersion)
      if writer.hasChanged { try finish(&writer) }
    }
    try checkUnique()
  }

  /// Builds the indexes again whose keys were made from texts by other rules than this program's.
  func renewIndexes() throws(StorageError) {
    var writer = try CatalogWriter(transaction, catalog: catalog)
    for (type, index) in catalog.outdatedIndexes { try writer.renew(index, of: type) }
    try finish(&writer)
  }

  /// Takes a changed catalog over, and fills the indexes that are empty still.
  func finish(_ writer: inout CatalogWriter) throws(StorageError) {
    try writer.finish()
    changes.changesCatalog = true
    catalog = try Catalog.read(in: transaction)
    places = [:]
    latestPlace = nil
    for (type, index) in writer.newIndexes {
      guard let type = catalog.types[type] else { continue }
      try place(of: type).indexes.build(index)
    }
  }

  /// Unique values are looked at when the write is done: two objects may swap theirs in it.
  func checkUnique() throws(StoreError) {
    for place in places.values {
      let violation = try storage { () throws(StorageError) in try place.indexes.violation() }
      if let violation { throw .uniqueViolation(violation) }
    }
  }

  /// What is done with the changes while the transaction shows them and they may still be undone.
  package typealias Preparation = (
    ObjectChangeSet, _ version: UInt64, WriteTransaction
  ) throws(StorageError) -> Void

  /// Ends the write.
  ///
  /// - Returns: The new version, or `nil` where the write changed nothing.
  func commit(author: String?, _ prepare: Preparation? = nil) throws(StoreError) -> UInt64? {
    if let failure { throw failure }
    try flush()
    try checkUnique()
    return try storage { () throws(StorageError) in
      try noteModifications()
      guard !changes.isEmpty else {
        transaction.abort()
        return nil
      }
      try ChangeLog.append(
        changes, version: version, date: Date(), author: author, in: transaction)
      try prepare?(changes, version, transaction)
      try noteFlushing()
      try rows.save(in: meta, transaction)
      transaction.onlyDeletes = changes.onlyDeletes
      try transaction.commit()
      rememberDirectories()
      transaction.environment.signal.ring(version: version)
      core.remember(catalog)
      return version
    }
  }

  /// Rolls everything back.
  func abort() { transaction.abort() }

  /// Notes in the file whether its last commits are on disk only when the system likes, as nobody can
  /// tell after a loss of power.
  ///
  /// A commit that is flushed flushes all before it.
  private func noteFlushing() throws(StorageError) {
    let mark = try MetaEntry.bytes(MetaEntry.boot, in: meta, transaction)
    if transaction.environment.durability == .unsafe {
      guard let boot = BootIdentity.current?.bytes, mark != boot else { return }
      try MetaEntry.set(MetaEntry.boot, to: boot, in: meta, transaction)
    } else if mark != nil {
      try MetaEntry.remove(MetaEntry.boot, from: meta, transaction)
    }
  }

  /// Compares each changed row with what it was: only what differs in the end is a change, and a
  /// row that is as before gets its record back.
  func noteModifications() throws(StorageError) {
    var restored: Set<Key> = []
    for (key, original) in originals {
      guard changes.types[key.type]?[key.row] == nil, let type = catalog.types[key.type],
        let table = try transaction.table(named: type.tableName),
        let bytes = unsafe try transaction.value(forRow: key.row, in: table)
      else { continue }
      let isSame = unsafe try withBytes(of: original) { (original) throws(StorageError) -> Bool in
        var properties = unsafe try type.differences(
          between: original, and: bytes, core.longKey, in: transaction)
        if !originalEntries.isEmpty {
          for property in try changedCollections(of: key, type, besides: properties) {
            properties.insert(property.ordinal)
          }
          try unsafe noteEntries(of: key, type, bytes, in: &properties)
        }
        if !properties.isEmpty {
          changes.note(.modified(properties), row: key.row, type: key.type)
        }
        return properties.isEmpty
      }
      unsafe try removeReplacedValues(key, original, Array(bytes), type, keepsOriginal: isSame)
      guard isSame else { continue }
      restored.insert(key)
      try restoreEntries(of: key, type)
      unsafe try withBytes(of: original) { (original) throws(StorageError) in
        unsafe try transaction.put(original, forRow: key.row, in: table)
      }
    }
    try removeReplacedElements(restored)
    try noteLinks()
    for key in chunked.keys where originals[key] == nil {
      guard let type = catalog.types[key.type],
        let table = try transaction.table(named: type.tableName),
        let bytes = unsafe try transaction.value(forRow: key.row, in: table)
      else { continue }
      unsafe try removeReplacedValues(key, [], Array(bytes), type, keepsOriginal: false)
    }
  }

  /// Removes chunks that neither the record's old nor new form refers to any more.
  func removeReplacedValues(
    _ key: Key, _ original: [UInt8], _ current: [UInt8], _ type: Catalog.StoredType,
    keepsOriginal: Bool
  ) throws(StorageError) {
    let old = try type.largeReferences(in: original)
    let new = try type.largeReferences(in: current)
    let kept = Set(keepsOriginal ? old : new)
    for reference in Set(old + new + (chunked[key] ?? [])).subtracting(kept) {
      try LargeValues.delete(reference, in: large, transaction: transaction)
    }
  }
}
