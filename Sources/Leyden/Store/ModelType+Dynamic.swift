import Foundation

extension ModelType {
  /// The model of a type that is known from a store only; without linking objects, which have no value.
  convenience init(dynamic type: Catalog.StoredType, in catalog: Catalog) {
    self.init(
      objectType: type.isEmbedded ? DynamicEmbeddedObject.self : DynamicObject.self,
      dynamicName: type.name,
      declared: type.properties.filter(\.hasSlot).enumerated().map { number, property in
        Column(property, number: Int32(number), of: type, catalog)
      })
  }
}

extension ModelType.Column {
  fileprivate init(
    _ property: Catalog.StoredProperty, number: Int32, of type: Catalog.StoredType,
    _ catalog: Catalog
  ) {
    let value = property.dynamicType
    let defaultValue = property.defaultValue
    let target = property.target
    self.init(
      name: property.name, number: number, type: property.type, element: property.element,
      elementIsOptional: property.elementIsOptional,
      target: value.targetType as? PersistedObject.Type,
      dynamicTarget: {
        target.flatMap { catalog.types[$0] }.map { ModelType(dynamic: $0, in: catalog) }
      },
      deleteRule: property.deleteRule,
      origin: nil, isOptional: property.isOptional, isPrimaryKey: property.id == type.primaryKey,
      index: nil, textIndex: nil, makeDefault: { defaultValue }, offset: 0,
      wrapper: wrapperType(of: value))
  }
}

private func wrapperType<Value: Persistable>(of type: Value.Type) -> any PersistedProperty.Type {
  Persisted<Value>.self
}

extension Catalog.StoredProperty {
  /// The type that a dynamic object's property has.
  fileprivate var dynamicType: any Persistable.Type {
    func list<Element: Persistable>(_ type: Element.Type) -> any Persistable.Type {
      List<Element>.self
    }
    func set<Element: Persistable & Hashable>(_ type: Element.Type) -> any Persistable.Type {
      MutableSet<Element>.self
    }
    func map<Element: Persistable>(_ type: Element.Type) -> any Persistable.Type {
      Map<String, Element>.self
    }
    func elements(_ type: any Persistable.Type) -> any Persistable.Type {
      self.type == .map ? map(type) : list(type)
    }
    switch type {
    case .link: return DynamicObject?.self
    case .embedded: return DynamicEmbeddedObject?.self
    case .list, .set, .map:
      switch element {
      case .link where type == .set: return set(DynamicObject.self)
      case .link: return elements(elementIsOptional ? DynamicObject?.self : DynamicObject.self)
      case .embedded:
        return elements(
          elementIsOptional ? DynamicEmbeddedObject?.self : DynamicEmbeddedObject.self)
      default:
        let scalar = (element ?? .bool).dynamicType(isOptional: elementIsOptional)
        return type == .set ? set(scalar) : elements(scalar)
      }
    default: return type.dynamicType(isOptional: isOptional)
    }
  }
}

extension PropertyType {
  /// Swift's own type for a scalar.
  fileprivate func dynamicType(isOptional: Bool) -> any (Persistable & Hashable).Type {
    func optional<Value: Persistable & Hashable>(
      _ type: Value.Type
    ) -> any (Persistable & Hashable).Type {
      isOptional ? Value?.self : Value.self
    }
    switch self {
    case .bool: return optional(Bool.self)
    case .int8: return optional(Int8.self)
    case .int16: return optional(Int16.self)
    case .int32: return optional(Int32.self)
    case .int64: return optional(Int64.self)
    case .uint8: return optional(UInt8.self)
    case .uint16: return optional(UInt16.self)
    case .uint32: return optional(UInt32.self)
    case .float: return optional(Float.self)
    case .double: return optional(Double.self)
    case .string: return optional(String.self)
    case .data: return optional(Data.self)
    case .date: return optional(Date.self)
    case .uuid: return optional(UUID.self)
    case .decimal: return optional(Decimal.self)
    case .objectId: return optional(ObjectId.self)
    case .anyValue: return AnyValue.self
    case .int, .link, .embedded, .linkingObjects, .list, .set, .map: return optional(Int.self)
    }
  }
}
