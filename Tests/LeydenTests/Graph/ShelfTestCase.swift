import Leyden
import LeydenTesting
import XCTest

/// A test with a store of shelves, and with observers whose calls are written down.
class ShelfTestCase: StoreTestCase {
  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Shelf.self])
  }

  /// A shelf with books of the values 0 to 9.
  func shelfOfTen() throws -> (store: Store, shelf: Shelf) {
    let store = try store()
    let shelf = Shelf("s", books: (0..<10).map { Book($0) })
    try store.write { try store.add(shelf) }
    return (store, shelf)
  }

  /// What an observer of a collection was told, such as `-[0] +[1, 2] ~[3]`.
  final class Calls {
    var texts: [String] = []
    var token: NotificationToken?

    func take<C>(_ change: ObservedChange<C>) {
      switch change {
      case .initial: texts.append("initial")
      case .update(_, let deletions, let insertions, let modifications):
        texts.append("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): texts.append("error: \(error)")
      }
    }

    func take<Key, Value>(_ change: MapChange<Key, Value>) {
      switch change {
      case .initial: texts.append("initial")
      case .update(_, let deletions, let insertions, let modifications):
        texts.append("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): texts.append("error: \(error)")
      }
    }

    /// The calls after the first one.
    var updates: [String] { Array(texts.dropFirst()) }
  }

  func calls<Element>(_ list: List<Element>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = list.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  func calls<Element>(_ set: MutableSet<Element>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = set.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  func calls<Key, Value>(_ map: Map<Key, Value>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = map.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  func calls<Element>(_ objects: LinkingObjects<Element>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = objects.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  func calls<Element>(_ results: Results<Element>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = results.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }
}
