import Leyden
import LeydenTesting

/// What an observer sees of one element: who it is, and what of it matters to the observer.
struct Seen: Hashable {
  let identity: String
  let content: String
}

/// An observer that keeps a copy of what it was told of, and checks each change against it.
class Watch {
  /// What is observed, for messages.
  let name: String
  /// What was wrong.
  var violations: [String] = []
  /// How often it was called after the first time.
  var calls = 0
  var token: NotificationToken?

  init(_ name: String) { self.name = name }

  /// Checks that what was last told is what there is.
  func checkAtRest() {}

  /// Takes what there is for told.
  func readAgain() {}
}

/// An observer of a collection whose elements have positions.
final class CollectionWatch: Watch {
  /// How the elements of a collection may change.
  enum Kind {
    /// An element may be there more than once, and be replaced.
    case list
    /// Each element is there once, and does not move.
    case ordered
  }

  private var seen: [Seen] = []
  private let kind: Kind
  private let read: () -> [Seen]
  /// Whether objects may be called modified that several commits changed and changed back.
  private let isLenient: Bool

  init(_ name: String, _ kind: Kind, isLenient: Bool = false, reading read: @escaping () -> [Seen])
  {
    self.kind = kind
    self.read = read
    self.isLenient = isLenient
    super.init(name)
  }

  func take<C>(_ change: ObservedChange<C>) {
    switch change {
    case .initial: seen = read()
    case .error(let error): violations.append("\(error)")
    case .update(_, let deletions, let insertions, let modifications):
      calls += 1
      let new = read()
      let checker = ChangeSetChecker(
        deletions: deletions, insertions: insertions, modifications: modifications)
      do {
        if isLenient {
          let applied = try checker.apply(to: seen, reading: new)
          if applied != new { violations.append("the change leads to something else") }
        } else if kind == .list {
          try checker.checkList(old: seen, new: new, identity: \.identity)
        } else {
          try checker.check(old: seen, new: new, identity: \.identity)
        }
      } catch { violations.append("-\(deletions) +\(insertions) ~\(modifications): \(error)") }
      if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty {
        violations.append("a call without a change")
      }
      seen = new
    }
  }

  override func checkAtRest() {
    let new = read()
    if new != seen { violations.append("not told: \(seen) → \(new)") }
    seen = new
  }

  override func readAgain() { seen = read() }
}

/// An observer of a map.
final class MapWatch: Watch {
  private var seen: [String: String] = [:]
  private let read: () -> [String: String]

  init(_ name: String, reading read: @escaping () -> [String: String]) {
    self.read = read
    super.init(name)
  }

  func take<Value>(_ change: MapChange<String, Value>) {
    switch change {
    case .initial: seen = read()
    case .error(let error): violations.append("\(error)")
    case .update(_, let deletions, let insertions, let modifications):
      calls += 1
      let new = read()
      let expected = (
        seen.keys.filter { new[$0] == nil }.sorted(), new.keys.filter { seen[$0] == nil }.sorted(),
        new.keys.filter { seen[$0] != nil && seen[$0] != new[$0] }.sorted()
      )
      if (deletions, insertions, modifications) != expected {
        violations.append("-\(deletions) +\(insertions) ~\(modifications) is not \(expected)")
      }
      seen = new
    }
  }

  override func checkAtRest() {
    let new = read()
    if new != seen { violations.append("not told: \(seen) → \(new)") }
    seen = new
  }

  override func readAgain() { seen = read() }
}

/// An observer of one object: of the text of each of its properties.
final class ObjectWatch: Watch {
  private var seen: [String: String]
  private let read: () -> [String: String]?
  private var isDeleted = false

  init(_ name: String, reading read: @escaping () -> [String: String]?) {
    self.read = read
    seen = read() ?? [:]
    super.init(name)
  }

  func take<T>(_ change: ObjectChange<T>) {
    calls += 1
    if isDeleted { violations.append("a call after the deletion") }
    switch change {
    case .deleted: isDeleted = true
    case .error(let error): violations.append("\(error)")
    case .change(_, let properties):
      let new = read() ?? [:]
      let expected = Set(new.keys.filter { new[$0] != seen[$0] })
      let told = Set(properties.map(\.name))
      if told != expected { violations.append("\(told.sorted()) is not \(expected.sorted())") }
      seen = new
    }
  }

  override func checkAtRest() {
    guard let new = read() else {
      if !isDeleted { violations.append("the deletion was not told") }
      return
    }
    if new != seen { violations.append("not told: \(seen) → \(new)") }
    seen = new
  }

  override func readAgain() {
    if let new = read() { seen = new } else { isDeleted = true }
  }
}
