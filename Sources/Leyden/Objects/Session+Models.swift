/// Models beside what the file knows of their types, and which of them were read.
extension Session {
  /// The model class beside the type in the file.
  ///
  /// - Returns: `nil` for a class that is not among the session's models.
  package func binding(of type: PersistedObject.Type) -> TypeBinding? {
    let key = ObjectIdentifier(type)
    if noted != nil { noted?.insert(key) }
    if let latestBinding, latestBinding.model.objectType == type { return latestBinding }
    if let known = bindings[key] {
      latestBinding = known
      return known
    }
    guard let model = models.first(where: { $0.objectType == type }) else { return nil }
    let binding = TypeBinding(model: model, catalog: catalog, store: core.uuid)
    bindings[key] = binding
    return binding
  }

  /// The model class beside the type in the file; a class that is not among the session's models
  /// stops the program.
  package func requiredBinding(of type: PersistedObject.Type) -> TypeBinding {
    guard let binding = binding(of: type) else {
      preconditionFailure(
        "\(type) is not among the store's models; list it in `objectTypes` of its configuration")
    }
    return binding
  }

  /// The type of a model beside that in the file.
  ///
  /// - Throws: ``StoreError/wrongStore`` for a dynamic type that this store does not have.
  func binding(for model: ModelType) throws(StoreError) -> TypeBinding {
    guard model.isDynamic else { return requiredBinding(of: model.objectType) }
    guard let binding = catalog.type(named: model.name).flatMap({ dynamicBinding($0.id) }) else {
      throw .wrongStore
    }
    return binding
  }

  /// The type of a number as the catalog has it, without a class; `nil` where there is none.
  package func dynamicBinding(_ id: UInt32) -> TypeBinding? {
    noted?.insert(ObjectIdentifier(DynamicObject.self))
    if let known = dynamicBindings[id] { return known }
    guard let type = catalog.types[id], let model = makeDynamicModel?(type, catalog) else {
      return nil
    }
    let binding = TypeBinding(model: model, catalog: catalog, store: core.uuid)
    dynamicBindings[id] = binding
    return binding
  }

  /// Runs `body` and adds the models of which it read anything to `reads`.
  package func notingReads<Result>(
    in reads: inout Set<ObjectIdentifier>, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = noted
    noted = []
    // What was located before would be read without coming here.
    generation.advance()
    defer {
      reads.formUnion(noted ?? [])
      noted = outer?.union(reads)
    }
    return try body()
  }

  /// Notes that something of a type was read, for who wants to know.
  package func noteRead(ofType type: UInt32) {
    guard noted != nil, let name = catalog.types[type]?.name else { return }
    for model in models where model.name == name {
      noted?.insert(ObjectIdentifier(model.objectType))
    }
  }
}
