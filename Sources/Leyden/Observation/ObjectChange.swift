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
/// Values are those that the property itself has: `Int`, `String`, an enum …; `nil` for nil.
public struct PropertyChange {
  /// The property's name.
  public var name: String
  /// The value that the observer was last told, or began with.
  public var oldValue: Any?
  /// The value now.
  public var newValue: Any?
}

extension PropertyChange {
  init(_ difference: ObjectHistory.Difference) {
    let column = difference.column
    self.init(
      name: column.name, oldValue: column.swiftValue(of: difference.old),
      newValue: column.swiftValue(of: difference.new))
  }
}

extension ModelType.Column {
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
