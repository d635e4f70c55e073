/// Makes the description of an object: its properties, and what they lead to, to a small depth.
///
/// However long its texts and collections are, and whatever leads in circles, it ends soon.
struct Describer {
  /// How many objects lie within each other.
  private static let depth = 2
  /// How many elements of a collection are shown.
  private static let elements = 10
  /// After so many bytes only what is open is closed.
  private static let limit = 6_000

  private var text = ""

  static func description(of object: PersistedObject) -> String {
    var describer = Describer()
    describer.append(object, depth: 0)
    return describer.text
  }

  static func description(of collection: any PersistedCollection) -> String {
    var describer = Describer()
    describer.append(collection, depth: 0)
    return describer.text
  }

  private var isFull: Bool { text.utf8.count > Self.limit }

  private mutating func append(_ object: PersistedObject, depth: Int) {
    let model = object.modelType
    guard depth <= Self.depth, !isFull else { return text += "\(model.name) { … }" }
    text += "\(model.name) { "
    for (position, column) in model.declared.enumerated() {
      if position > 0 { text += "; " }
      if isFull {
        text += "…"
        break
      }
      text += "\(column.name) = "
      append(column, of: object, model, depth: depth)
    }
    text += " }"
  }

  private mutating func append(
    _ column: ModelType.Column, of object: PersistedObject, _ model: ModelType, depth: Int
  ) {
    guard !column.type.isScalar || column.type == .anyValue else {
      text += "\(model.value(of: column, in: object))"
      return
    }
    append(model.dynamicValue(of: column, in: object), depth: depth)
  }

  private mutating func append(_ value: Any?, depth: Int) {
    switch value {
    case let object as PersistedObject: append(object, depth: depth + 1)
    case let value as AnyValue where value.object != nil: append(value.object, depth: depth)
    case let collection as any PersistedCollection: append(collection, depth: depth)
    case let value as any Persistable: text += "\(value.storedValue)"
    default: text += "nil"
    }
  }

  private mutating func append(_ collection: any PersistedCollection, depth: Int) {
    let count = collection.count
    text += "\(type(of: collection)) of \(count)"
    guard count > 0, depth < Self.depth else { return }
    text += " ["
    var shown = 0
    func begin() -> Bool {
      guard !isFull, shown < Self.elements else { return false }
      if shown > 0 { text += ", " }
      shown += 1
      return true
    }
    switch collection.beginning(Self.elements) {
    case .elements(let elements):
      for element in elements where begin() { append(unwrapped(element), depth: depth) }
    case .entries(let entries):
      for (key, value) in entries where begin() {
        text += "\(StoredValue.string(key)): "
        append(unwrapped(value), depth: depth)
      }
    }
    text += shown < count ? ", …]" : "]"
  }
}
