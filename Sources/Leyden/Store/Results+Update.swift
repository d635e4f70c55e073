extension Results where Element: Object {
  /// Sets one property of all objects, by its name.
  ///
  ///     try notes.setValue(true, forKey: "pinned")
  ///
  /// The objects are those at the beginning of the call, also where the change takes some of them
  /// out of the results. No object is made for it.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``; ``StoreError/invalidValue(_:)``, before anything
  ///   is changed, for a property that the model does not have or a value that it cannot take, and
  ///   for a primary key that would change; ``StoreError/deleteDenied(_:)``, before anything is changed as well;
  ///   ``StoreError/valueTooLarge(bytes:)``.
  public func setValue(_ value: Any?, forKey key: String) throws {
    let writer = try session.requiredWriter()
    guard let binding = evaluation.binding else {
      throw StoreError.invalidValue("the store has no objects with a property \(key)")
    }
    let column = try binding.model.requiredColumn(named: key)
    let given = try PropertyValues.Given(value, for: column, of: binding.model)
    let rows = evaluation.rows()
    if case .value(let value) = given, column.type.isScalar {
      for row in rows { try writer.set(value, column: Int(column.number), row: row, binding) }
      return try session.check()
    }
    let graph = GraphWriter(session, writer, .error)
    // Each row's own: a primary key may be given to one of them only.
    for _ in rows { try graph.check(given) }
    for row in rows {
      try graph.set(given, column, of: session.row(row, binding))
      // A delete rule may forbid to replace one of many embedded objects: then all stay.
      if graph.exchanges.isEmpty { try graph.write() }
    }
    try graph.write()
    try session.check()
  }

  /// Calls `body` with each object, to change it.
  ///
  ///     try notes.update { $0.pinned = true }
  ///
  /// The objects are those at the beginning of the call, also where a change takes some of them out
  /// of the results; one that `body` deletes is not reached any more.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``, or what `body` throws.
  public func update(_ body: (Element) throws -> Void) throws {
    _ = try session.requiredWriter()
    for object in self where !object.isInvalidated { try body(object) }
    try session.check()
  }
}

extension Results where Element: EmbeddedObject {
  /// Sets one property of all embedded objects, by its name, as for results of objects.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``; ``StoreError/invalidValue(_:)``, before anything is changed,
  ///   for a property that the model does not have or a value that it cannot take.
  public func setValue(_ value: Any?, forKey key: String) throws {
    _ = try session.requiredWriter()
    let model = ModelType.of(Element.self)
    _ = try PropertyValues.Given(value, for: try model.requiredColumn(named: key), of: model)
    try update { $0[key] = value }
  }

  /// Calls `body` with each embedded object, to change it, as for results of objects.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``, or what `body` throws.
  public func update(_ body: (Element) throws -> Void) throws {
    _ = try session.requiredWriter()
    for object in self where !object.isInvalidated { try body(object) }
    try session.check()
  }
}

extension Session {
  /// The running write.
  func requiredWriter() throws(StoreError) -> Writer {
    try check()
    guard let writer else { throw .notInWriteTransaction }
    return writer
  }
}

extension ModelType {
  /// The column of a name.
  func requiredColumn(named name: String) throws(StoreError) -> Column {
    guard let column = column(named: name) else {
      throw .invalidValue("\(self.name) has no property \(name)")
    }
    return column
  }
}
