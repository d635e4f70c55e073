extension Store {
  /// The objects of a type by its name, for programs without a class for it.
  ///
  ///     for card in store.dynamicObjects("Card") { print(card["title"] as? String ?? "") }
  ///
  /// - Parameter typeName: The name that the store knows the type by. A type that it does not have has
  ///   no objects.
  /// - Returns: Lazy results, in the order of creation.
  public func dynamicObjects(_ typeName: String) -> DynamicResults {
    DynamicResults(session, typeName)
  }

  /// Adds an object of a type that is named.
  ///
  /// - Parameters:
  ///   - typeName: The name that the store knows the type by.
  ///   - value: Values by the names of properties, as setting them by name takes them; others have their
  ///     defaults.
  /// - Returns: The live object.
  /// - Throws: ``StoreError/invalidValue(_:)`` for a type that the store does not have, a value of a wrong type, and
  ///   a primary key that is missing; ``StoreError/duplicatePrimaryKey(type:key:)``;
  ///   ``StoreError/notInWriteTransaction``.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String, value: [String: Any] = [:]
  ) throws -> DynamicObject {
    let writer = try requiredWriter()
    guard let type = session.catalog.type(named: typeName), !type.isEmbedded,
      let binding = session.dynamicBinding(type.id)
    else { throw StoreError.invalidValue("the store has no objects of a type \(typeName)") }
    let model = binding.model
    if let key = model.primaryKey, value[key.name] == nil {
      throw StoreError.invalidValue("\(typeName).\(key.name) is missing")
    }
    let later = model.columns.filter { !$0.type.isScalar || $0.type == .anyValue }
    let names = Set(later.map(\.name))
    let given = try PropertyValues(value.filter { !names.contains($0.key) }, for: model)
    let row = try writer.insert(model.columns.map { given[$0] ?? $0.makeDefault() }, binding)
    guard let object = session.dynamicObject(ObjectReference(type: type.id, row: row)) else {
      throw StoreError.corrupted("the type \(typeName) is gone")
    }
    do {
      for column in later {
        guard let value = value[column.name] else { continue }
        try model.setDynamically(value, for: column, in: object)
      }
    } catch {
      try delete(object)
      throw error
    }
    return object
  }
}
