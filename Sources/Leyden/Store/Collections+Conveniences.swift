import LeydenStorage

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
  public var description: String {
    handle.map { CollectionText.of($0.firstElements, count: $0.count, as: Element.self, $0) }
      ?? CollectionText.of(own)
  }
}

extension MutableSet: CustomStringConvertible {
  /// The first elements; a large set is cut.
  public var description: String {
    handle.map { CollectionText.of($0.firstElements, count: $0.count, as: Element.self, $0) }
      ?? CollectionText.of(own.all)
  }
}

extension Map: CustomStringConvertible {
  /// The first entries; a large map is cut.
  public var description: String {
    let texts: [String]
    if let handle {
      texts = storedEntries(handle, limit: CollectionText.limit).map { entry in
        let value = CollectionText.of(handle.element(entry.value, as: Value.self))
        return "\(StoredValue.string(entry.key)): \(value)"
      }
    } else {
      texts = entries.prefix(CollectionText.limit).map { entry in
        let key = (entry.key as? String).map { "\(StoredValue.string($0))" } ?? "\(entry.key)"
        return "\(key): \(CollectionText.of(entry.value))"
      }
    }
    return CollectionText.joined(texts.isEmpty ? [":"] : texts, count: Swift.max(count, 1))
  }
}

/// Text for people, never long: what an element refers to is named and not described.
enum CollectionText {
  /// How many elements are shown at the most.
  static let limit = 20

  static func of<Element: Persistable>(_ elements: [Element]) -> String {
    joined(elements.prefix(limit).map { of($0) }, count: elements.count)
  }

  static func of<Element: Persistable>(
    _ elements: [StoredValue], count: Int, as type: Element.Type, _ handle: CollectionHandle
  ) -> String {
    joined(elements.map { of(handle.element($0, as: Element.self)) }, count: count)
  }

  /// One element: a value, or an object's type and primary key.
  static func of(_ element: some Persistable) -> String {
    var object = unwrapped(element) as? PersistedObject
    if case .object(let target) = element as? AnyValue { object = target }
    guard let object else { return "\(element.storedValue)" }
    let model = ModelType.of(type(of: object))
    guard let key = model.primaryKey else { return "\(model.name) { … }" }
    return "\(model.name) { \(key.name) = \(model.value(of: key, in: object)) }"
  }

  static func joined(_ texts: [String], count: Int) -> String {
    let more = count > texts.count ? [", … \(count) elements"] : []
    return "[" + texts.joined(separator: ", ") + more.joined() + "]"
  }
}

extension CollectionHandle {
  /// The elements that a text shows.
  var firstElements: [StoredValue] {
    var found: [StoredValue] = []
    _ = reading { (reader, _) throws(StorageError) in
      try reader.forEach { value in
        found.append(value)
        return found.count < CollectionText.limit
      }
    }
    return found
  }
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
