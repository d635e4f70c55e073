import Foundation

// Values whose type is known at run time only: what dynamic access, `create` and `setValue` take.

extension ModelType {
  /// The stored form of a value for a property.
  ///
  /// Numbers are taken for each other where no whole number is lost; raw and stored forms for
  /// enumerations and types of the program's own; nil, and Foundation's `NSNull`, for optional
  /// properties.
  ///
  /// - Throws: ``StoreError/invalidValue(_:)``, which names type and property.
  package func storedValue(
    of value: Any?, for column: Column, isElement: Bool = false
  ) throws(StoreError) -> StoredValue {
    let own = column.wrapper.valueType
    let wanted = isElement ? own.elementType ?? own : own
    guard let value = unwrapped(value) else {
      guard wanted.isOptional else {
        throw .invalidValue(
          "\(name).\(column.name) \(isElement ? "holds" : "is") \(wanted) and cannot \(isElement ? "hold" : "be") nil"
        )
      }
      return .null
    }
    for form in Self.forms(of: value, for: wanted.propertyType ?? column.type) {
      if let made = wanted.make(from: form) { return made.storedValue }
    }
    // A description of the value's own may be of any length, and Foundation's of a date far away stops
    // the program.
    let shown = value is Object ? nil : (value as? any Persistable)?.storedValue.description
    throw .invalidValue(
      "\(name).\(column.name) \(isElement ? "holds" : "is") \(wanted) and cannot \(isElement ? "hold" : "be") the \(Swift.type(of: value))"
        + (shown.map { " \($0)" } ?? ""))
  }

  /// A property's value as Swift knows it, managed or not; nil without a second optional around it.
  package func dynamicValue(of column: Column, in object: PersistedObject) -> Any? {
    unsafe unwrapped(withAddress(of: column, in: object) { unsafe column.wrapper.value(at: $0) })
  }

  /// Sets a property of an object, managed or not, to a value that ``storedValue(of:for:)`` gave.
  package func set(_ value: StoredValue, for column: Column, in object: PersistedObject) {
    unsafe withAddress(of: column, in: object) { unsafe column.wrapper.set(value, at: $0) }
  }

  /// Sets a property of an object, managed or not, to a value of the property's own type, or nil.
  ///
  /// - Returns: Whether the value is of that type.
  @discardableResult
  package func assign(_ value: Any?, to column: Column, in object: PersistedObject) -> Bool {
    unsafe withAddress(of: column, in: object) { unsafe column.wrapper.put(value, at: $0) } ?? false
  }

  /// The stored forms that a value may be taken for, the closest first.
  static func forms(of value: Any, for type: PropertyType) -> [StoredValue] {
    // Objects and collections are no values: where they belong, they are not asked for a stored form.
    if value is PersistedObject || value is any PersistedCollection { return [] }
    if let any = value as? AnyValue, any.object != nil { return [] }
    guard let form = (value as? any Persistable)?.storedValue ?? bridged(value) else { return [] }
    return [form] + number(form, as: type)
  }

  /// A number in the form of another type of numbers: whole numbers and decimals where nothing is
  /// lost, the nearest floating-point number, and the decimal that it is written as.
  private static func number(_ form: StoredValue, as type: PropertyType) -> [StoredValue] {
    let found: StoredValue? =
      switch (form, type) {
      case (.int(let whole), .double): Double(exactly: whole).map { .double($0) }
      case (.int(let whole), .float): Float(exactly: whole).map { .float($0) }
      case (.int(let whole), .decimal): .decimal(Decimal(whole))
      case (.float(let number), .double): .double(Double(number))
      case (.float(let number), .decimal): decimal("\(number)")
      case (.float(let number), _) where type.isInteger: Int64(exactly: number).map { .int($0) }
      case (.double(let number), .float):
        Float(number).isFinite == number.isFinite ? .float(Float(number)) : nil
      case (.double(let number), .decimal): decimal("\(number)")
      case (.double(let number), _) where type.isInteger: Int64(exactly: number).map { .int($0) }
      case (.decimal(let number), .double):
        .double(NSDecimalNumber(decimal: number).doubleValue)
      case (.decimal(let number), .float): .float(NSDecimalNumber(decimal: number).floatValue)
      case (.decimal(let number), _) where type.isInteger: Int64("\(number)").map { .int($0) }
      default: nil
      }
    return found.map { [$0] } ?? []
  }

  private static func decimal(_ text: String) -> StoredValue? {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
  }

  /// What numbers stand for that no property has the type of, and Foundation's own classes, which
  /// its JSON reader gives.
  private static func bridged(_ value: Any) -> StoredValue? {
    if let whole = value as? any BinaryInteger { return Int64(exactly: whole).map { .int($0) } }
    if let number = value as? any BinaryFloatingPoint { return .double(Double(number)) }
    if let text = value as? NSString { return .string(text as String) }
    if let decimal = value as? NSDecimalNumber { return .decimal(decimal.decimalValue) }
    guard let number = value as? NSNumber else { return nil }
    switch UInt8(bitPattern: unsafe number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): return .bool(number.boolValue)
    case UInt8(ascii: "f"), UInt8(ascii: "d"): return .double(number.doubleValue)
    case UInt8(ascii: "Q"): return Int64(exactly: number.uint64Value).map { .int($0) }
    default: return .int(number.int64Value)
    }
  }
}

/// A value without the optionals around it; nil for nil and for Foundation's null.
func unwrapped(_ value: Any?) -> Any? {
  guard let value, !(value is NSNull) else { return nil }
  guard let optional = value as? any OptionalValue else { return value }
  return unwrapped(optional.content)
}

private protocol OptionalValue {
  var content: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var content: Any? { self }
}
