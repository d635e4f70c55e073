import Foundation

/// Turns a value that can be encoded into dictionaries, arrays and the values in them.
///
/// What a property can hold is kept as it is: dates, bytes and identifiers do not become texts.
struct DynamicEncoder: Encoder {
  /// What was encoded at one place.
  final class Node {
    var value: Any = NSNull()
    var members: [String: Node]?
    var elements: [Node]?

    var content: Any {
      if let members { return members.mapValues(\.content) }
      if let elements { return elements.map(\.content) }
      return value
    }
  }

  let node: Node
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func encode(_ value: any Encodable) throws -> Any {
    let node = Node()
    try value.encode(to: DynamicEncoder(node: node, codingPath: []))
    return node.content
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.members = node.members ?? [:]
    return KeyedEncodingContainer(Members<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.elements = node.elements ?? []
    return Elements(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    Single(node: node, codingPath: codingPath)
  }

  /// Encodes a part; what a property can hold stays whole.
  fileprivate static func set(
    _ value: some Encodable, in node: Node, _ codingPath: [any CodingKey]
  ) throws {
    // The standard library's numbers would ask for being encoded as a single value again.
    if value is any Persistable || value is any BinaryInteger || value is any BinaryFloatingPoint {
      node.value = value
    } else if let url = value as? URL {
      node.value = url.absoluteString
    } else {
      try value.encode(to: DynamicEncoder(node: node, codingPath: codingPath))
    }
  }
}

private struct Single: SingleValueEncodingContainer {
  let node: DynamicEncoder.Node
  let codingPath: [any CodingKey]

  func encodeNil() { node.value = NSNull() }
  func encode(_ value: some Encodable) throws {
    try DynamicEncoder.set(value, in: node, codingPath)
  }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: DynamicEncoder.Node
  let codingPath: [any CodingKey]

  private func add(_ key: any CodingKey) -> DynamicEncoder.Node {
    let member = DynamicEncoder.Node()
    node.members?[key.stringValue] = member
    return member
  }

  func encodeNil(forKey key: Key) { _ = add(key) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try DynamicEncoder.set(value, in: add(key), codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(for: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(for: key).unkeyedContainer()
  }

  // A superclass encodes its properties beside those of its subclass: a model has them all.
  func superEncoder() -> any Encoder { DynamicEncoder(node: node, codingPath: codingPath) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

  private func encoder(for key: Key) -> DynamicEncoder {
    DynamicEncoder(node: add(key), codingPath: codingPath + [key])
  }
}

private struct Elements: UnkeyedEncodingContainer {
  let node: DynamicEncoder.Node
  let codingPath: [any CodingKey]
  var count: Int { node.elements?.count ?? 0 }

  private func add() -> DynamicEncoder.Node {
    let element = DynamicEncoder.Node()
    node.elements?.append(element)
    return element
  }

  func encodeNil() { _ = add() }
  func encode(_ value: some Encodable) throws {
    try DynamicEncoder.set(value, in: add(), codingPath)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    superEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superEncoder().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { DynamicEncoder(node: add(), codingPath: codingPath) }
}
