/// What an observer of one object is told.
public enum ObjectChange<T> {
  /// Properties of the object have other values than when the observer was last told, or began.
  case change(T, [PropertyChange])
  /// The object is gone; nothing more will be told.
  case deleted
  /// The object cannot be observed, or no more.
  case error(StoreError)
}

/// One property of an object that changed.
///
/// Values are those that the property itself has: `Int`, `String`, an enum, an object …; `nil` for nil. The old
/// value of a link is nil where that object is gone. Of a collection, which holds other elements than before, and
/// of linking objects only the name is told.
public struct PropertyChange {
  /// The property's name.
  public var name: String
  /// The value that the observer was last told, or began with.
  public var oldValue: Any?
  /// The value now.
  public var newValue: Any?
}

extension PropertyChange {
  /// What an observer of `object` is told.
  init(_ difference: ObjectHistory.Difference, of object: Object, _ session: Session) {
    let column = difference.column
    self.init(name: column.name, oldValue: nil, newValue: nil)
    switch column.type {
    case .list, .set, .map, .linkingObjects: return
    case .embedded:
      newValue = object.modelType.dynamicValue(of: column, in: object)
    case .link, .anyValue:
      oldValue = column.object(difference.old, session)
      newValue = column.object(difference.new, session)
    default:
      oldValue = column.swiftValue(of: difference.old)
      newValue = column.swiftValue(of: difference.new)
    }
  }
}

extension ModelType.Column {
  /// The object that a value leads to, if it is there; any other value as the property has it.
  fileprivate func object(_ value: StoredValue, _ session: Session) -> Any? {
    guard case .object(let reference) = value else { return swiftValue(of: value) }
    let object: PersistedObject? =
      if type == .link {
        (target as? Object.Type).map { session.object($0, row: reference.row) }
      } else { session.object(reference) }
    guard let object = object as? Object, object.access?.exists ?? false else { return nil }
    return type == .anyValue ? AnyValue.object(object) : object
  }

  /// A value as the property has it, without the optional around it.
  fileprivate func swiftValue(of value: StoredValue) -> Any? {
    if case .null = value { return nil }
    var type: any Persistable.Type = wrapper.valueType
    if let optional = type as? any OptionalValue.Type,
      let wrapped = optional.wrapped as? any Persistable.Type
    {
      type = wrapped
    }
    // A value that the type does not know is nil in an optional property, as reading it is.
    return type.make(from: value) ?? (isOptional ? nil : type.emptyValue)
  }
}

/// An optional, seen from outside.
private protocol OptionalValue {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}
