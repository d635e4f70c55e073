import CLeyden
import LeydenStorage

/// Links and collections of live objects.
extension Session {
  /// The live object of a row of a type that only the reference tells; `nil` where no model is of it.
  func object(_ reference: ObjectReference) -> PersistedObject? {
    guard let name = catalog.types[reference.type]?.name,
      let type = models.first(where: { $0.name == name })?.objectType as? Object.Type
    else { return nil }
    return object(type, row: reference.row)
  }

  /// Lets a column of a live object lead to an object, or hold an embedded one.
  func set(_ object: PersistedObject, column: Int, of row: LiveRow) {
    change(column, of: row) { (writer, graph, column, property) throws(StoreError) in
      let value = try graph.stored(object, column, property)
      try graph.write()
      try writer.set(value, column: Int(column.number), row: row.row, row.binding)
    }
  }

  /// Gives a column's collection the elements of another one.
  func set(_ collection: any PersistedCollection, column: Int, of row: LiveRow) {
    change(column, of: row) { (writer, graph, column, property) throws(StoreError) in
      let contents = try graph.stored(collection.contents, column, property)
      try graph.write()
      try writer.replace(
        try writer.collection(Int(column.number), row: row.row, row.binding), by: contents)
    }
  }

  /// Changes a collection of a live object: `body` gets new elements as they are stored.
  ///
  /// Objects among them are added where the store does not have them.
  func change(
    _ row: LiveRow, _ column: Int, with values: [any Persistable] = [],
    _ body: (Writer, WrittenCollection, [StoredValue]) throws(StoreError) -> Void
  ) {
    change(column, of: row) { (writer, graph, column, property) throws(StoreError) in
      let stored = try values.map { (value) throws(StoreError) in
        try graph.stored(value, column, property)
      }
      try graph.write()
      try body(
        writer, try writer.collection(Int(column.number), row: row.row, row.binding), stored)
    }
  }

  private func change(
    _ number: Int, of row: LiveRow,
    _ body: (Writer, GraphWriter, ModelType.Column, Catalog.StoredProperty) throws(StoreError) ->
      Void
  ) {
    bind(row)
    guard let writer else {
      preconditionFailure(
        "\(row.binding.name(of: number)) was changed outside a write; put the change into "
          + "`store.write { … }`")
    }
    do throws(StoreError) {
      guard let property = row.binding.properties[number] else {
        throw .corrupted("\(row.binding.name(of: number)) is not in the store's catalog")
      }
      try body(
        writer, GraphWriter(self, writer, .error), row.binding.model.columns[number], property)
    } catch { writer.poison(error) }
  }

  /// Reads a collection of a live object.
  ///
  /// - Returns: `nil` where the object is gone, or reading failed, which the session noted.
  func reading<Result>(
    _ row: LiveRow, _ column: Int,
    _ body: (CollectionReader, CollectionAge) throws(StorageError) -> Result
  ) -> Result? {
    // Within a write, and where a version is kept, the record often is known.
    let isCurrent = unsafe PersistedRow(row.state).isCurrent
    guard isCurrent || row.enter(reading: Int32(column)) else { return nil }
    defer { if !isCurrent { row.leave() } }
    guard let base = unsafe row.state.pointee.base,
      let transaction = writer?.transaction ?? pinned ?? passing,
      let property = row.binding.properties[column], let type = row.binding.stored
    else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: base, count: Int(row.state.pointee.length))
    do throws(StorageError) {
      let record = unsafe try row.binding.record(bytes)
      let reader = CollectionReader(
        key: CollectionKey(type: type.id, row: row.row, property: property.id), property: property,
        form: try record.view.collection(record.slot(column), in: transaction),
        transaction: transaction)
      return try body(
        reader,
        CollectionAge(version: record.view.version, revision: writer?.revision ?? 0))
    } catch {
      fail(StoreError(error, at: core.url))
      return nil
    }
  }
}

extension Session {
  /// The parts of a list, not to be changed, in the transaction that reads it.
  func directory(
    of list: CollectionKey, _ age: CollectionAge, in transaction: Transaction
  ) throws(StorageError) -> ListDirectory {
    if let writer { return try writer.directory(of: list) }
    return try listDirectories.directory(of: list, version: age.version, in: transaction)
  }
}

/// Which state of a collection somebody knows: a change of it is a change of its owner.
struct CollectionAge: Equatable {
  /// The commit that last changed the owner.
  let version: UInt64
  /// The write's revision; 0 for a committed version.
  let revision: UInt64
}
