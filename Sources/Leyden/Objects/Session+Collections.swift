import CLeyden
import LeydenStorage

/// Links and collections of live objects.
extension Session {
  /// The live object of a row of a type that only the reference tells: a dynamic one where no model is of it.
  func object(_ reference: ObjectReference) -> PersistedObject? {
    guard let name = catalog.types[reference.type]?.name,
      let type = models.first(where: { $0.name == name })?.objectType as? Object.Type
    else { return dynamicObject(reference) }
    return object(type, row: reference.row)
  }

  /// The live object of a row, whatever models there are; `nil` where the store does not know its type.
  package func dynamicObject(_ reference: ObjectReference) -> DynamicObject? {
    dynamicBinding(reference.type).map {
      makeObject(DynamicObject.self, access: row(reference.row, $0))
    }
  }

  /// Lets a column of a live object lead to an object, or hold an embedded one.
  func set(_ object: PersistedObject, column: Int, of row: ManagedRow) {
    change(column, of: row) { (writer, graph, column, property) throws(StoreError) in
      let value = try graph.stored(object, column, property)
      try graph.write()
      try row.write(value, column: Int(column.number), writer)
    }
  }

  /// Gives a column of a live object a value whose type is known at run time only.
  func set(_ given: PropertyValues.Given, column: Int, of row: ManagedRow) {
    change(column, of: row) { (writer, graph, column, property) throws(StoreError) in
      try graph.check(given)
      try graph.set(given, column, of: row)
      try graph.write()
    }
  }

  /// Gives a column's collection the elements of another one.
  func set(_ collection: any PersistedCollection, column: Int, of row: ManagedRow) {
    change(column, of: row) { (writer, graph, column, property) throws(StoreError) in
      graph.replaced = 0..<Int.max
      let contents = try graph.stored(collection.contents, column, property)
      try graph.write()
      try row.change(column: Int(column.number), writer) { (collection) throws(StoreError) in
        try writer.replace(collection, by: contents)
      }
    }
  }

  /// Changes a collection of a live object: `body` gets new elements as they are stored.
  ///
  /// Objects among them are added where the store does not have them. Embedded ones that lie at the positions
  /// that are replaced stay the same.
  func change(
    _ row: ManagedRow, _ column: Int, with values: [any Persistable] = [],
    replacing positions: Range<Int>? = nil,
    _ body: (Writer, WrittenCollection, [StoredValue]) throws(StoreError) -> Void
  ) {
    change(column, of: row) { (writer, graph, column, property) throws(StoreError) in
      graph.replaced = positions
      let stored = try values.map { (value) throws(StoreError) in
        try graph.stored(value, column, property)
      }
      try graph.write()
      try row.change(column: Int(column.number), writer) { (collection) throws(StoreError) in
        try body(writer, collection, stored)
      }
    }
  }

  private func change(
    _ number: Int, of row: ManagedRow,
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
      let graph = GraphWriter(self, writer, .error)
      graph.owner = .row(row)
      try body(writer, graph, row.binding.model.columns[number], property)
    } catch { writer.poison(error) }
  }

  /// Reads a collection of a live object.
  ///
  /// - Returns: `nil` where the object is gone, or reading failed, which the session noted.
  func reading<Result>(
    _ row: ManagedRow, _ column: Int,
    _ body: (CollectionReader, CollectionAge) throws(StorageError) -> Result
  ) -> Result? {
    // Within a write, and where a version is kept, the record often is known.
    let isCurrent = unsafe PersistedRow(row.state).isCurrent
    guard isCurrent || row.enter(reading: Int32(column)) else { return nil }
    defer { if !isCurrent { row.leave() } }
    do throws(StorageError) {
      guard let reader = try reader(of: row, column), let version = row.root.version else {
        return nil
      }
      return try body(reader, CollectionAge(version: version, revision: writer?.revision ?? 0))
    } catch {
      fail(StoreError(error, at: core.url))
      return nil
    }
  }

  /// A collection of a row that is located.
  func reader(of row: ManagedRow, _ column: Int) throws(StorageError) -> CollectionReader? {
    guard let bytes = unsafe row.located, let transaction = readingTransaction,
      let property = row.binding.properties[column]
    else { return nil }
    let record = unsafe try row.binding.record(bytes)
    return CollectionReader(
      key: row.collectionKey(property.id), property: property,
      form: try record.view.collection(record.slot(column), in: transaction),
      transaction: transaction)
  }
}

extension Session {
  /// The parts of a list of a row that is located, not to be changed, in the transaction that reads it.
  func directory(
    of list: CollectionKey, _ row: ManagedRow, in transaction: Transaction
  ) throws(StorageError) -> ListDirectory {
    if let writer { return try writer.directory(of: list) }
    guard let version = row.root.version else {
      return try ListDirectory(of: list, in: transaction)
    }
    return try listDirectories.directory(of: list, version: version, in: transaction)
  }
}

/// Which state of a collection somebody knows: a change of it is a change of its owner.
struct CollectionAge: Equatable {
  /// The commit that last changed the owner.
  let version: UInt64
  /// The write's revision; 0 for a committed version.
  let revision: UInt64
}
