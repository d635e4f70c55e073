/// Copies objects with what they lead to: each once, so that cycles and shared objects stay what they are.
///
/// The nearest objects are copied first, so that each is reached by the fewest links.
package final class ObjectCopier {
  private let maximumDepth: Int
  private var copies: [AnyHashable: PersistedObject] = [:]
  private var waiting: [(source: PersistedObject, copy: PersistedObject, depth: Int)] = []
  private var next = 0

  private init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

  /// An unmanaged copy of an object and of what it leads to, through so many links at the most; beyond
  /// that links are nil and collections of objects are empty.
  package static func copy<Model: PersistedObject>(_ object: Model, maximumDepth: Int) -> Model {
    let copier = ObjectCopier(maximumDepth: max(maximumDepth, 0))
    let copy = copier.start(object, depth: 0)
    while copier.next < copier.waiting.count {
      let (source, copy, depth) = copier.waiting[copier.next]
      copier.next += 1
      copier.fill(copy, from: source, depth: depth)
    }
    // `start` makes an instance of the object's own class.
    return copy as? Model ?? object
  }

  private func start(_ object: PersistedObject, depth: Int) -> PersistedObject {
    let copy = type(of: object).init()
    copies[Self.key(of: object)] = copy
    waiting.append((object, copy, depth))
    return copy
  }

  private static func key(of object: PersistedObject) -> AnyHashable {
    object.access?.identity.map(AnyHashable.init) ?? AnyHashable(ObjectIdentifier(object))
  }

  private func fill(_ copy: PersistedObject, from source: PersistedObject, depth: Int) {
    let model = source.modelType
    guard !model.isDynamic else { return }
    for column in model.columns where column.type != .linkingObjects {
      if column.type.isScalar, column.type != .anyValue {
        model.set(model.value(of: column, in: source), for: column, in: copy)
        continue
      }
      let value = model.dynamicValue(of: column, in: source)
      switch value {
      case let collection as any PersistedCollection:
        (model.dynamicValue(of: column, in: copy) as? any PersistedCollection)?
          .fill(from: collection) { self.copy(of: $0, depth: depth) }
      case let object as PersistedObject:
        model.assign(self.copy(of: object, depth: depth), to: column, in: copy)
      case let any as AnyValue:
        model.assign(copied(any) { self.copy(of: $0, depth: depth) }, to: column, in: copy)
      default: model.assign(value, to: column, in: copy)
      }
    }
  }

  /// The copy of an object that another one leads to; an embedded object is a part of its owner, however
  /// deep that is.
  private func copy(of object: PersistedObject, depth: Int) -> PersistedObject? {
    if let known = copies[Self.key(of: object)] { return known }
    if object is EmbeddedObject { return start(object, depth: depth) }
    return depth < maximumDepth ? start(object, depth: depth + 1) : nil
  }
}

/// What becomes of an object that a collection holds; `nil` leaves it out.
package typealias ElementCopier = (PersistedObject) -> PersistedObject?

/// An element with a copy in place of the object in it, or with itself where nothing is copied; `nil` where
/// that is left out.
package func copied<Element: Persistable>(
  _ element: Element, _ copy: ElementCopier?
) -> Element? {
  guard let copy else { return element }
  switch unwrapped(element) {
  case let object as PersistedObject:
    return copy(object) as? Element ?? (Element.isOptional ? Element.emptyValue : nil)
  case let value as AnyValue:
    guard let object = value.object else { return element }
    return (copy(object) as? Object).flatMap { AnyValue.object($0) as? Element }
  default: return element
  }
}
