import Foundation

extension Store {
  /// Adds an object made from a value, or gives the value's parts to the object that is there.
  ///
  ///     try store.create(StoredNote.self, value: ["identifier": "n1", "title": "Jars"])
  ///     try store.create(StoredNote.self, value: ["n1", "Leyden jars"], update: .modified)
  ///     try store.create(StoredNote.self, value: note, update: .modified)
  ///
  /// What the value does not give has its declared default in a new object, and stays as it is in
  /// one that is there. Keys that the model does not have are passed over. What a property leads to or
  /// holds is given in the same ways, or as objects: one with a primary key becomes one object however
  /// often it is given, one without is made anew each time. Lists that are given take the place of the old
  /// ones.
  ///
  /// - Parameters:
  ///   - type: The model.
  ///   - value: A dictionary by property names, an array in the order of the properties (which may
  ///     end early), another object, or a value that can be encoded into one of these.
  ///   - policy: What happens where an object with the same primary key exists.
  /// - Returns: The live object.
  /// - Throws: ``StoreError/invalidValue(_:)``, which names type and property, for a value of a wrong
  ///   type, nil where that is not allowed, and a primary key that is missing and has no default;
  ///   ``StoreError/invalidatedObject(_:)`` for an object that is gone;
  ///   ``StoreError/notInWriteTransaction``, ``StoreError/duplicatePrimaryKey(type:key:)``,
  ///   ``StoreError/deleteDenied(_:)``, ``StoreError/valueTooLarge(bytes:)``, and what the value throws when it is encoded. The store
  ///   is then as it was before the call.
  /// - Complexity: O(log *n*) for each index of the type.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, value: Any = [String: Any](), update policy: UpdatePolicy = .error
  ) throws -> T {
    let writer = try requiredWriter()
    let given = try PropertyValues(value, for: ModelType.of(type))
    let reference = try GraphWriter(session, writer, policy).create(given)
    return session.object(type, row: reference.row)
  }
}
