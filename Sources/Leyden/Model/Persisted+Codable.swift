// What makes `final class StoredNote: Object, Codable` work without further code: the compiler
// encodes and decodes property wrappers one by one, as values under the properties' names.

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the property's value, managed or not, as it would be encoded without the wrapper.
  public func encode(to encoder: any Encoder) throws {
    // By a container and not by itself: the encoder's strategies for dates and bytes apply there.
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Persisted: Decodable where Value: Decodable {
  /// Decodes the value of an unmanaged object's property.
  public init(from decoder: any Decoder) throws {
    self.init(unmanaged: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension Persisted {
  /// Holds a value of an unmanaged object.
  init(unmanaged value: Value) {
    unsafe row = nil
    column = -1
    self.value = value
  }
}

extension KeyedEncodingContainer {
  /// Encodes an optional property; nothing is written where it is nil.
  public mutating func encode<Value: Encodable>(
    _ property: Persisted<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(property.wrappedValue, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes an optional property; nil where the key is missing or null.
  public func decode<Value: Decodable>(
    _ type: Persisted<Value?>.Type, forKey key: Key
  ) throws -> Persisted<Value?> {
    Persisted(unmanaged: try decodeIfPresent(Value.self, forKey: key))
  }
}
