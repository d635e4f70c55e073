/// What `add` does where an object with the same primary key exists.
public enum UpdatePolicy: Sendable, Hashable {
  /// It throws ``StoreError/duplicatePrimaryKey(type:key:)``.
  case error
  /// The existing object gets the values that differ.
  case modified
  /// The existing object gets all values; what is equal already is no change.
  case all
}

extension Store {
  /// Adds an object: from now on this same object is live.
  ///
  /// An object that the store has already is left as it is. One of another store is not added
  /// itself; a copy of its values is.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - policy: What happens where an object with the same primary key exists. With `.modified` and
  ///     `.all`, `object` becomes another handle of that one.
  /// - Returns: The live object: `object` itself, or the copy.
  /// - Throws: ``StoreError/notInWriteTransaction``,
  ///   ``StoreError/duplicatePrimaryKey(type:key:)``,
  ///   ``StoreError/invalidatedObject(_:)``, ``StoreError/valueTooLarge(bytes:)`` and what the write
  ///   itself may run into.
  /// - Complexity: O(log *n*) for each index of the type.
  @discardableResult
  public func add<T: Object>(_ object: T, update policy: UpdatePolicy = .error) throws -> T {
    let writer = try requiredWriter()
    let binding = session.requiredBinding(of: Swift.type(of: object))
    var added = object
    if let live = object.access as? LiveRow {
      guard object.access?.exists == true else {
        throw StoreError.invalidatedObject(binding.model.name)
      }
      if live.session === session { return object }
      if let identity = live.identity, identity.store == session.core.uuid {
        return session.object(Swift.type(of: object), row: identity.row)
      }
      added = Swift.type(of: object).init()
    }
    let row = try update(object, binding, policy, writer) ?? writer.insert(object, binding)
    session.attach(added, binding, type: binding.stored?.id ?? 0, row: row)
    return added
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
    let binding = session.requiredBinding(of: Swift.type(of: object))
    guard let identity = object.access?.identity, identity.store == session.core.uuid else {
      throw StoreError.wrongStore
    }
    guard try writer.delete(row: identity.row, binding) else {
      throw StoreError.invalidatedObject(binding.model.name)
    }
  }

  /// Deletes objects; results may be passed as they are.
  ///
  /// - Throws: As ``delete(_:)``; the objects before the one that failed are deleted.
  public func delete<S: Sequence>(_ objects: S) throws where S.Element: Object {
    for object in Array(objects) { try delete(object) }
  }

  /// Deletes all objects of the store's models.
  ///
  /// Types of the file that the models do not name are left alone.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``.
  public func deleteAll() throws {
    for model in session.models { try deleteAll(of: model.objectType) }
  }

  /// Deletes all objects of a type.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``.
  public func deleteAll<T: Object>(_ type: T.Type) throws { try deleteAll(of: type) }

  private func deleteAll(of type: Object.Type) throws {
    let writer = try requiredWriter()
    let binding = session.requiredBinding(of: type)
    for row in try writer.rows(of: binding) { try writer.delete(row: row, binding) }
  }

  func requiredWriter() throws(StoreError) -> Writer { try session.requiredWriter() }

  /// Gives an object's values to the one that has its primary key, if one does and the policy says so.
  private func update(
    _ object: Object, _ binding: TypeBinding, _ policy: UpdatePolicy, _ writer: Writer
  ) throws(StoreError) -> UInt64? {
    guard policy != .error, let key = binding.model.primaryKey,
      let row = try writer.row(ofPrimaryKey: binding.model.value(of: key, in: object), binding)
    else { return nil }
    for column in binding.model.columns where !column.isPrimaryKey {
      try writer.set(
        binding.model.value(of: column, in: object), column: Int(column.number), row: row, binding)
    }
    return row
  }
}
