public import Leyden
public import LeydenTesting

/// An observer of results that keeps a copy of them, checks each change against it, and writes the
/// changes down.
public final class ChangeRecorder<Element: Object, Value: Equatable> {
  /// One element as it was seen.
  public struct Entry: Equatable {
    /// The row's number, which is the same for as long as the object exists.
    public let row: UInt64
    /// What was read of it.
    public let value: Value
  }

  /// The changes since the first call, such as `-[0] +[1, 2] ~[3]`; empty where none are kept.
  public private(set) var changes: [String] = []
  /// How many changes there were since the first call.
  public private(set) var changeCount = 0
  /// Whether the changes are kept; whoever observes for long needs only what became of them.
  public var keepsChanges = true
  /// How often the first call came.
  public private(set) var initialCalls = 0
  /// Errors that were delivered.
  public private(set) var errors: [StoreError] = []
  /// What was wrong with the changes.
  public private(set) var violations: [String] = []
  /// The elements as last delivered.
  public private(set) var entries: [Entry] = []
  /// The observation.
  public private(set) var token: NotificationToken?
  /// Whether a delivery covers several commits: a row that was changed and changed back may be
  /// called modified then.
  public var isMerging = false
  /// Whether moves are checked to be the fewest; for an observer of some properties only, a row that
  /// changed in others has to stay.
  private let countsMoves: Bool
  private let read: (Element) -> Value
  private let counts: (Value, Value) -> Bool

  /// Begins to observe.
  ///
  /// - Parameters:
  ///   - results: What is observed.
  ///   - keyPaths: The properties that the observer asks for.
  ///   - differs: Whether two values differ in what the key paths name.
  ///   - read: Everything of an element that matters to the order and the observer.
  public init(
    _ results: Results<Element>, keyPaths: [String]? = nil,
    differs: @escaping (Value, Value) -> Bool = { $0 != $1 },
    reading read: @escaping (Element) -> Value
  ) {
    self.read = read
    counts = differs
    countsMoves = keyPaths == nil
    token = results.observe(keyPaths: keyPaths) { [weak self] change in self?.take(change) }
  }

  /// The values as last delivered.
  public var values: [Value] { entries.map(\.value) }

  /// Reads the elements again where the observer asked for some properties only and was not called:
  /// which rows there are, and their order, must be what it knows.
  public func readAgain(_ results: Results<Element>) {
    let new = Self.entries(of: results, read)
    if new.map(\.row) != entries.map(\.row) { violations.append("a change was not told") }
    for (old, new) in zip(entries, new) where counts(old.value, new.value) {
      violations.append("a modification of row \(new.row) was not told")
    }
    entries = new
  }

  /// Ends the observation.
  public func stop() { token?.invalidate() }

  private func take(_ change: ObservedChange<Results<Element>>) {
    switch change {
    case .initial(let results):
      initialCalls += 1
      entries = Self.entries(of: results, read)
    case .error(let error): errors.append(error)
    case .update(let results, let deletions, let insertions, let modifications):
      changeCount += 1
      let change = "-\(deletions) +\(insertions) ~\(modifications)"
      if keepsChanges { changes.append(change) }
      let new = Self.entries(of: results, read)
      let checker = ChangeSetChecker(
        deletions: deletions, insertions: insertions, modifications: modifications)
      check(checker, new, change)
      entries = new
    }
  }

  /// Checks a change from the elements as last delivered to `new`.
  private func check(_ checker: ChangeSetChecker, _ new: [Entry], _ change: String) {
    if let problem = checker.problem(
      from: entries, to: new, isMerging: isMerging, countsMoves: countsMoves, differs: counts)
    {
      violations.append("\(change): \(problem)")
    }
  }

  /// The elements of a collection, each with its row.
  public static func entries(of results: Results<Element>, _ read: (Element) -> Value) -> [Entry] {
    results.map { Entry(row: $0.access?.identity?.row ?? 0, value: read($0)) }
  }
}

extension ChangeSetChecker {
  /// Checks a change.
  ///
  /// - Parameters:
  ///   - old: The elements before it.
  ///   - new: The elements after it.
  ///   - isMerging: Whether rows may be called modified that were changed and changed back.
  ///   - countsMoves: Whether the moves must be the fewest among rows that differ in anything.
  ///   - differs: Whether the observer asked for the difference of two values; other differences
  ///     may move a row, but are no modification.
  /// - Returns: What is wrong, or `nil`.
  public func problem<Element: Object, Value: Equatable>(
    from old: [ChangeRecorder<Element, Value>.Entry],
    to new: [ChangeRecorder<Element, Value>.Entry], isMerging: Bool, countsMoves: Bool = true,
    differs: (Value, Value) -> Bool
  ) -> String? {
    let places = Dictionary(uniqueKeysWithValues: new.map { ($0.row, $0.value) })
    let gone = Set(deletions)
    let stayed = old.indices.filter { !gone.contains($0) && places[old[$0].row] != nil }
    func modified(_ isModified: (Value, Value) -> Bool) -> [Int] {
      stayed.filter { position in
        places[old[position].row].map { isModified(old[position].value, $0) } ?? false
      }
    }
    let expected = modified(differs)
    let isRight =
      isMerging
      ? Set(expected).isSubset(of: modifications) && Set(modifications).isSubset(of: stayed)
      : expected == modifications
    if !isRight { return "modified are \(expected)" }
    // What several commits did to a row and took back is not known here: a row that is mentioned
    // counts as changed then.
    let mentioned = Set((isMerging ? deletions + modifications : []).map { old[$0].row })
    let before = old.map { Marked(entry: $0, isMentioned: false) }
    let after = new.map { Marked(entry: $0, isMentioned: mentioned.contains($0.row)) }
    var whole = self
    whole.modifications = stayed.filter { position in
      mentioned.contains(old[position].row)
        || places[old[position].row].map { old[position].value != $0 } ?? false
    }
    if whole.modifications != modifications { whole.newModifications = nil }
    do {
      try whole.check(old: before, new: after) { $0.entry.row }
      return nil
    } catch {
      if case .tooManyMoves = error, !countsMoves { return nil }
      return "\(error)"
    }
  }
}

/// An entry, and whether the change mentions it.
private struct Marked<Entry: Equatable>: Equatable {
  let entry: Entry
  let isMentioned: Bool
}
