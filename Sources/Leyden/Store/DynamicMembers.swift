import Foundation

extension DynamicObject {
  /// A property by its name, as by `object["name"]`.
  public subscript(dynamicMember name: String) -> Any? {
    get { self[name] }
    set { self[name] = newValue }
  }
}

extension DynamicEmbeddedObject {
  /// A property by its name, as by `object["name"]`.
  public subscript(dynamicMember name: String) -> Any? {
    get { self[name] }
    set { self[name] = newValue }
  }
}

extension EmbeddedObject {
  /// A stored property by its name, managed or not, by the rules of `Object`'s own subscript.
  public subscript(_ key: String) -> Any? {
    get {
      modelType.dynamicValue(
        of: stopping { () throws(StoreError) in
          try modelType.requiredColumn(named: key)
        }, in: self)
    }
    set {
      func change() throws(StoreError) {
        try modelType.setDynamically(
          newValue, for: try modelType.requiredColumn(named: key), in: self)
      }
      guard let writer = (access as? ManagedRow)?.session.writer else { return stopping(change) }
      do { try change() } catch { writer.poison(error) }
    }
  }
}

extension ObjectMembers {
  /// Linking objects of a dynamic object; `nil` where the name is that of another property.
  func dynamicLinkingObjects(named name: String) -> Results<DynamicObject>? {
    guard let row = access as? LiveRow, row.binding.model.isDynamic, let type = row.binding.stored,
      let property = type.property(named: name), let origin = property.origin,
      let source = property.target.flatMap({ row.session.catalog.types[$0] })
    else { return nil }
    var query = RowQuery()
    query.source = .linking(ObjectReference(type: type.id, row: row.row), origin)
    return Results(Evaluation(row.session, ModelReference(dynamicName: source.name), query))
  }
}

extension ModelType {
  /// Sets a property of an object, managed or not, to a value whose type is known at run time only.
  ///
  /// - Throws: ``StoreError/invalidValue(_:)``, which names type and property, where it cannot be.
  func setDynamically(
    _ value: Any?, for column: Column, in object: PersistedObject
  ) throws(StoreError) {
    if let row = object.access as? ManagedRow {
      row.session.set(try given(value, for: column), column: Int(column.number), of: row)
      return
    }
    let name = "\(self.name).\(column.name)"
    switch column.type {
    case .list, .set, .map:
      let held = dynamicValue(of: column, in: object) as? any DynamicCollection
      try held?.setContents(to: unwrapped(value), name)
    case .link, .embedded, .anyValue:
      let converted = try column.wrapper.valueType.converted(value, name)
      guard assign(unwrapped(converted), to: column, in: object) else {
        throw .invalidValue("\(name) cannot be the \(Swift.type(of: value))")
      }
    default: set(try storedValue(of: value, for: column), for: column, in: object)
    }
  }

  private func given(
    _ value: Any?, for column: Column
  ) throws(StoreError) -> PropertyValues.Given {
    guard column.type != .linkingObjects else {
      throw .invalidValue("\(name).\(column.name) is set by the links of others")
    }
    do { return try PropertyValues.Given(value, for: column, of: self) } catch let error
      as StoreError
    {
      throw error
    } catch {
      // What the value threw when it was encoded.
      throw .invalidValue("\(name).\(column.name) cannot be the \(Swift.type(of: value)): \(error)")
    }
  }
}

extension Persistable {
  /// A value whose type is known at run time only as one of this type.
  ///
  /// - Throws: ``StoreError/invalidValue(_:)`` where it is none.
  static func converted(_ value: Any?, _ name: String) throws(StoreError) -> Self {
    guard let value = unwrapped(value) else {
      if isOptional, let none = make(from: .null) { return none }
      throw .invalidValue("\(name) is \(self) and cannot be nil")
    }
    if let value = value as? Self { return value }
    if let object = value as? Object, let any = AnyValue.object(object) as? Self { return any }
    if let object = (value as? AnyValue)?.object, let object = object as? Self { return object }
    if let type = targetType as? PersistedObject.Type, let values = value as? [String: Any] {
      let object = type.init()
      for (key, value) in values {
        guard let column = object.modelType.column(named: key) else { continue }
        try object.modelType.setDynamically(value, for: column, in: object)
      }
      if let object = object as? Self { return object }
    }
    if let type = propertyType, type.isScalar {
      for form in ModelType.forms(of: value, for: type) {
        if let made = make(from: form) { return made }
      }
    }
    throw .invalidValue("\(name) is \(self) and cannot be the \(Swift.type(of: value))")
  }
}

/// A collection whose contents are given by values whose types are known at run time only.
protocol DynamicCollection: PersistedCollection {
  /// Replaces the contents of an unmanaged collection; nil empties it.
  ///
  /// - Throws: ``StoreError/invalidValue(_:)`` where the values cannot be its contents.
  func setContents(to value: Any?, _ name: String) throws(StoreError)
}

extension DynamicCollection {
  /// The elements of a sequence.
  fileprivate func elements(of value: Any?, _ name: String) throws(StoreError) -> [Any?] {
    func all(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 } }
    switch value {
    case nil: return []
    case is String, is Data, is [String: Any]: break
    case let sequence as any Sequence: return all(sequence)
    default: break
    }
    throw .invalidValue("\(name) cannot be the \(Swift.type(of: value))")
  }
}

extension List: DynamicCollection {
  func setContents(to value: Any?, _ name: String) throws(StoreError) {
    let new = List()
    for element in try elements(of: value, name) {
      new.own.append(try Element.converted(element, name))
    }
    own = new.own
  }
}

extension MutableSet: DynamicCollection {
  func setContents(to value: Any?, _ name: String) throws(StoreError) {
    let new = MutableSet()
    for element in try elements(of: value, name) {
      new.insert(try Element.converted(element, name))
    }
    own = new.own
  }
}

extension Map: DynamicCollection {
  func setContents(to value: Any?, _ name: String) throws(StoreError) {
    let new = Map()
    switch value {
    case nil: break
    case let map as Map: new.own = Dictionary(map.entries.map { ($0.key, $0.value) }) { $1 }
    case let values as [Key: Any]:
      for (key, value) in values { new.own[key] = try Value.converted(value, name) }
    default: throw .invalidValue("\(name) cannot be the \(Swift.type(of: value))")
    }
    own = new.own
  }
}
