import Foundation

extension Store {
  /// Adds an object made from a value, or gives the value's parts to the object that is there.
  ///
  ///     try store.create(StoredNote.self, value: ["identifier": "n1", "title": "Jars"])
  ///     try store.create(StoredNote.self, value: ["n1", "Leyden jars"], update: .modified)
  ///     try store.create(StoredNote.self, value: note, update: .modified)
  ///
  /// What the value does not give has its declared default in a new object, and stays as it is in
  /// one that is there. Keys that the model does not have are passed over.
  ///
  /// - Parameters:
  ///   - type: The model.
  ///   - value: A dictionary by property names, an array in the order of the properties (which may
  ///     end early), another object, or a value that can be encoded into one of these.
  ///   - policy: What happens where an object with the same primary key exists.
  /// - Returns: The live object.
  /// - Throws: ``StoreError/invalidValue(_:)``, which names type and property, for a value of a wrong
  ///   type, nil where that is not allowed, and a primary key that is missing and has no default;
  ///   ``StoreError/notInWriteTransaction``, ``StoreError/duplicatePrimaryKey(type:key:)``,
  ///   ``StoreError/valueTooLarge(bytes:)``, and what the value throws when it is encoded. The store
  ///   is then as it was before the call.
  /// - Complexity: O(log *n*) for each index of the type.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, value: Any = [String: Any](), update policy: UpdatePolicy = .error
  ) throws -> T {
    let writer = try requiredWriter()
    let binding = session.requiredBinding(of: type)
    let model = binding.model
    let given = try PropertyValues(value, for: model)
    let key = try given.primaryKey(of: model)
    if policy != .error, let key, let row = try writer.row(ofPrimaryKey: key, binding) {
      for column in model.columns where !column.isPrimaryKey {
        guard let value = given[column] else { continue }
        try writer.set(
          value, column: Int(column.number), row: row, binding)
      }
      return session.object(type, row: row)
    }
    let values = model.columns.map { column in
      if column.isPrimaryKey, let key { return key }
      return given[column] ?? column.makeDefault()
    }
    return session.object(type, row: try writer.insert(values, binding))
  }
}
