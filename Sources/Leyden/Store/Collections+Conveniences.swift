// What all collections of models have beside: literals, text, and coding.

extension List: ExpressibleByArrayLiteral {
  /// Makes an unmanaged list: `note.numbers = [1, 2]`.
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    own = elements
  }
}

extension MutableSet: ExpressibleByArrayLiteral {
  /// Makes an unmanaged set: `note.words = ["a", "b"]`.
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    own = UniqueElements(elements)
  }
}

extension Map: ExpressibleByDictionaryLiteral {
  /// Makes an unmanaged map: `note.counts = ["a": 1]`; of equal keys the last one counts.
  public convenience init(dictionaryLiteral elements: (Key, Value)...) {
    self.init()
    own = Dictionary(elements) { _, last in last }
  }
}

// MARK: - Text

extension List: CustomStringConvertible {
  /// The first elements; a long list is cut.
  public var description: String { Describer.description(of: self) }
}

extension MutableSet: CustomStringConvertible {
  /// The first elements; a large set is cut.
  public var description: String { Describer.description(of: self) }
}

extension Map: CustomStringConvertible {
  /// The first entries; a large map is cut.
  public var description: String { Describer.description(of: self) }
}

// MARK: - Coding

extension List: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Array(fixed))
  }
}

extension List: Decodable where Element: Decodable {
  /// Decodes an unmanaged list from an array.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    own = try decoder.singleValueContainer().decode([Element].self)
  }
}

extension MutableSet: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Array(fixed))
  }
}

extension MutableSet: Decodable where Element: Decodable {
  /// Decodes an unmanaged set from an array.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    own = UniqueElements(try decoder.singleValueContainer().decode([Element].self))
  }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes the entries as a dictionary.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first })
  }
}

extension Map: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes an unmanaged map from a dictionary.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    own = try decoder.singleValueContainer().decode([Key: Value].self)
  }
}
