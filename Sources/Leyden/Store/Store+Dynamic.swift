extension Store {
  /// The objects of a type by its name, for programs without a class for it.
  ///
  ///     for card in store.dynamicObjects("Card") { print(card["title"] as? String ?? "") }
  ///
  /// - Parameter typeName: The name that the store knows the type by. A type that it does not have has
  ///   no objects.
  /// - Returns: Lazy results, in the order of creation.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    Results(Evaluation(session, ModelReference(dynamicName: typeName), RowQuery()))
  }

  /// Adds an object of a type that is named, or gives the value's parts to the object that is there.
  ///
  /// - Parameters:
  ///   - typeName: The name that the store knows the type by.
  ///   - value: A dictionary by property names, an array in the order of the properties, another object, or a
  ///     value that can be encoded into one of these.
  ///   - policy: What happens where an object with the same primary key exists.
  /// - Returns: The live object.
  /// - Throws: ``StoreError/invalidValue(_:)`` for a type that the store does not have; otherwise as ``create(_:value:update:)``.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String, value: Any = [String: Any](), update policy: UpdatePolicy = .error
  ) throws -> DynamicObject {
    let writer = try requiredWriter()
    guard let type = session.catalog.type(named: typeName), !type.isEmbedded,
      let binding = session.dynamicBinding(type.id)
    else { throw StoreError.invalidValue("the store has no objects of a type \(typeName)") }
    let given = try PropertyValues(value, for: binding.model)
    let reference = try GraphWriter(session, writer, policy).create(given)
    guard let object = session.dynamicObject(reference) else {
      throw StoreError.corrupted("the type \(typeName) is gone")
    }
    return object
  }
}
