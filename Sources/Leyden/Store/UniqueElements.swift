import Foundation
import LeydenStorage

/// The elements of an unmanaged set, each once, in the order in which they came.
struct UniqueElements<Element: Persistable> {
  /// The elements.
  private(set) var all: [Element] = []
  /// What tells them apart; empty where they may be objects, which are others once they were added to a
  /// store.
  private var identities: Set<ElementIdentity> = []

  init() {}

  init<S: Sequence>(_ elements: S) where S.Element == Element { insert(contentsOf: elements) }

  /// Whether an element is among them.
  func contains(_ element: Element) -> Bool {
    let wanted = ElementIdentity(element)
    guard Element.mayHoldObjects else { return identities.contains(wanted) }
    return all.contains { ElementIdentity($0) == wanted }
  }

  /// Puts elements behind all that are not there.
  mutating func insert<S: Sequence>(contentsOf elements: S) where S.Element == Element {
    var known = Element.mayHoldObjects ? Set(all.map { ElementIdentity($0) }) : identities
    identities = []
    for element in elements where known.insert(ElementIdentity(element)).inserted {
      all.append(element)
    }
    if !Element.mayHoldObjects { identities = known }
  }

  /// Lets go of all elements.
  mutating func release() { Released.take(&all) }

  /// Takes elements away.
  mutating func remove<S: Sequence>(contentsOf elements: S) where S.Element == Element {
    let gone = Set(elements.map { ElementIdentity($0) })
    all.removeAll { gone.contains(ElementIdentity($0)) }
    identities.subtract(gone)
  }
}

/// What tells the elements of sets apart, managed or not: objects by their rows, values as the store does.
enum ElementIdentity: Hashable {
  /// A managed object.
  case row(RowIdentity)
  /// An unmanaged object.
  case instance(ObjectIdentifier)
  /// A value: its bytes as a key.
  case value([UInt8])

  init(_ element: some Persistable) {
    if let object = element as? PersistedObject ?? Self.object(in: element) {
      self = object.access?.identity.map { .row($0) } ?? .instance(ObjectIdentifier(object))
      return
    }
    var key = KeyEncoder(capacity: 32)
    if element is AnyValue {
      key.append(anyValue: element.storedValue)
    } else {
      key.append(element.storedValue, hasMarker: true)
    }
    self = .value(key.bytes)
  }

  private static func object(in element: any Persistable) -> PersistedObject? {
    if case AnyValue.object(let object) = element { return object }
    return nil
  }
}
