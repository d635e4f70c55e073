extension Store {
  /// Adds an object and everything that it leads to: from now on these same objects are live.
  ///
  /// Objects that the store has already are left as they are. One of another store, a copy of this one
  /// among them, is not added itself; a copy of its values is, and of what it leads to.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - policy: What happens where an object with the same primary key exists. With `.modified` and
  ///     `.all` the added one becomes another handle of that one, and its lists take the place of the
  ///     old ones.
  /// - Returns: The live object: `object` itself, or the copy.
  /// - Throws: ``StoreError/notInWriteTransaction``,
  ///   ``StoreError/duplicatePrimaryKey(type:key:)``,
  ///   ``StoreError/invalidatedObject(_:)``, ``StoreError/valueTooLarge(bytes:)``,
  ///   ``StoreError/deleteDenied(_:)`` where an embedded object may not be replaced, and what the write itself
  ///   may run into.
  /// - Complexity: O(log *n*) for each index of the type.
  @discardableResult
  public func add<T: Object>(_ object: T, update policy: UpdatePolicy = .error) throws -> T {
    try GraphWriter(session, try requiredWriter(), policy).add(object)
  }

  /// Adds objects, one after the other.
  ///
  /// - Throws: As ``add(_:update:)``; the objects before the one that failed are added.
  public func add<S: Sequence>(
    _ objects: S, update policy: UpdatePolicy = .error
  ) throws where S.Element: Object {
    // The elements' type may be a superclass of models, which is none itself.
    if let binding = session.binding(of: S.Element.self) {
      try requiredWriter().expect(objects.underestimatedCount, binding)
    }
    for object in objects { try add(object, update: policy) }
  }

  /// Adds the object that stands for a plain value.
  ///
  ///     try store.add(value: note, as: StoredNote.self, update: .modified)
  ///
  /// - Returns: The live object.
  /// - Throws: As ``add(_:update:)``.
  @discardableResult
  public func add<T: ValueConvertible>(
    value: T.Value, as type: T.Type, update policy: UpdatePolicy = .error
  ) throws -> T {
    try add(T(value: value), update: policy)
  }

  /// Deletes an object; every live object of its row is invalidated.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``; ``StoreError/invalidatedObject(_:)`` where it is
  ///   deleted already; ``StoreError/wrongStore`` where it belongs to another store or to none.
  public func delete(_ object: Object) throws {
    let writer = try requiredWriter()
    try writer.delete([try key(of: object)])
  }

  /// The row of an object of this store.
  private func key(of object: Object) throws -> Writer.Key {
    guard let key = (object.access as? LiveRow)?.key(in: session.core) else {
      throw StoreError.wrongStore
    }
    return key
  }

  /// Deletes objects together; results may be passed as they are.
  ///
  /// - Throws: As ``delete(_:)``; nothing is deleted then.
  public func delete<S: Sequence>(_ objects: S) throws where S.Element: Object {
    let writer = try requiredWriter()
    try writer.delete(Array(objects).map { try key(of: $0) })
  }

  /// Deletes all objects of the store's models.
  ///
  /// Types of the file that the models do not name are left alone.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``.
  public func deleteAll() throws {
    let writer = try requiredWriter()
    let keys = try session.models.filter { !$0.isEmbedded }.flatMap {
      try writer.keys(of: session.requiredBinding(of: $0.objectType))
    }
    try writer.delete(keys)
  }

  /// Deletes all objects of a type.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``.
  public func deleteAll<T: Object>(_ type: T.Type) throws {
    let writer = try requiredWriter()
    try writer.delete(try writer.keys(of: session.requiredBinding(of: type)))
  }

  func requiredWriter() throws(StoreError) -> Writer { try session.requiredWriter() }
}
