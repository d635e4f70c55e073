/// A type of objects, named so that it means the same in every session of a store and for good: the program's
/// class, or the store's name for it where the program has none.
package struct ModelReference: Sendable {
  /// The class; of dynamic objects where the program has none.
  let objectType: PersistedObject.Type
  /// The name, where the program has no class.
  private let dynamicName: String?

  /// A class of the program's.
  package init(_ type: PersistedObject.Type) {
    objectType = type
    dynamicName = nil
  }

  /// A type by its name in the store.
  package init(dynamicName: String) {
    objectType = DynamicObject.self
    self.dynamicName = dynamicName
  }

  /// The type of a model.
  package init(_ model: ModelType) {
    objectType = model.objectType
    dynamicName = model.isDynamic ? model.name : nil
  }

  /// Whether the program has no class for it.
  package var isDynamic: Bool { dynamicName != nil }

  /// The type as a session's catalog has it; `nil` for a dynamic one that it does not have.
  ///
  /// A class that is not among the session's models stops the program.
  package func binding(in session: Session) -> TypeBinding? {
    guard let dynamicName else { return session.requiredBinding(of: objectType) }
    return session.catalog.type(named: dynamicName).flatMap { session.dynamicBinding($0.id) }
  }

  /// The live object of a row; `nil` where the session does not have the type.
  package func object(_ row: UInt64, in session: Session) -> Object? {
    guard isDynamic, let type = binding(in: session)?.stored?.id else {
      return (objectType as? Object.Type).map { session.object($0, row: row) }
    }
    return session.dynamicObject(ObjectReference(type: type, row: row))
  }
}
