import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What `withoutNotifying` leaves out: one commit, for some tokens.
final class WithoutNotifyingTests: StoreTestCase {
  private func recorder(_ store: Store) -> ChangeRecorder<Item, Int> {
    ChangeRecorder(store.objects(Item.self)) { $0.value }
  }

  private func tokens(_ recorder: ChangeRecorder<Item, Int>) -> [NotificationToken] {
    recorder.token.map { [$0] } ?? []
  }

  private func storeOfTen() throws -> Store {
    let store = try store()
    try store.write { for value in 0..<10 { try store.add(Item(value)) } }
    return store
  }

  func testACommitIsLeftOutForTheGivenTokensOnly() throws {
    let store = try storeOfTen()
    let first = recorder(store)
    let second = recorder(store)

    try store.write(withoutNotifying: tokens(first)) { try store.add(Item(10)) }

    XCTAssertEqual(first.changes, [])
    XCTAssertEqual(second.changes, ["-[] +[10] ~[]"])
  }

  func testTheNextCommitIsToldAtItsPlaceAmongWhatWasLeftOut() throws {
    let store = try storeOfTen()
    var calls: [String] = []
    let items = store.objects(Item.self)
    let token = items.observe { change in
      guard case .update(let items, let deletions, let insertions, let modifications) = change
      else { return }
      calls.append("\(items.count): -\(deletions) +\(insertions) ~\(modifications)")
    }

    try store.write(withoutNotifying: [token]) {
      try store.add(Item(10))
      try store.delete(items[0])
    }
    try store.write { items[9].value = 11 }
    try store.write { try store.add(Item(12)) }

    XCTAssertEqual(calls, ["10: -[] +[] ~[9]", "11: -[] +[10] ~[]"])
  }

  func testAWriteThatChangesNothingLeavesNothingOut() throws {
    let store = try storeOfTen()
    let recorder = recorder(store)

    try store.write(withoutNotifying: tokens(recorder)) { store.objects(Item.self)[3].value = 3 }
    try store.write { try store.add(Item(10)) }

    XCTAssertEqual(recorder.changes, ["-[] +[10] ~[]"])
  }

  func testACancelledWriteLeavesNothingOut() throws {
    let store = try storeOfTen()
    let recorder = recorder(store)

    try store.write(withoutNotifying: tokens(recorder)) {
      try store.add(Item(10))
      try store.cancelWrite()
    }
    try store.write { try store.add(Item(11)) }

    XCTAssertEqual(recorder.changes, ["-[] +[10] ~[]"])
    XCTAssertEqual(recorder.values.last, 11)
  }

  func testAWriteThatFailsAtItsEndLeavesNothingOut() throws {
    let store = try storeOfTen()
    let recorder = recorder(store)
    let gone = try XCTUnwrap(store.objects(Item.self).first)

    XCTAssertThrowsError(
      try store.write(withoutNotifying: tokens(recorder)) {
        try store.add(Item(10))
        try store.delete(gone)
        gone.value = 5
      })
    XCTAssertEqual(recorder.changes, [])
    try store.write {
      try store.delete(gone)
      try store.add(Item(11))
    }

    XCTAssertEqual(recorder.changes, ["-[0] +[9] ~[]"])
    XCTAssertEqual(recorder.violations, [])
  }

  func testWhatIsDueIsToldBeforeTheBodyRuns() throws {
    let store = try storeOfTen()
    let other = try anotherStore()
    let recorder = recorder(store)
    let unconcerned = self.recorder(store)
    try other.write { try other.add(Item(10)) }

    try store.write(withoutNotifying: tokens(recorder)) {
      XCTAssertEqual(recorder.changes, ["-[] +[10] ~[]"])
      XCTAssertEqual(unconcerned.changes, [])
      try store.add(Item(11))
    }

    XCTAssertEqual(recorder.changes, ["-[] +[10] ~[]"])
    XCTAssertEqual(unconcerned.changes, ["-[] +[10, 11] ~[]"])
  }

  func testWhatOthersCommittedBeforeTheWriteIsToldAtTheVersionThatItBeganWith() throws {
    let store = try storeOfTen()
    let other = try anotherStore()
    let recorder = recorder(store)
    try other.write {
      try other.add(Item(10))
      try other.delete(other.objects(Item.self)[0])
    }

    try store.beginWrite()
    try store.delete(store.objects(Item.self)[0])
    try store.add(Item(11))
    XCTAssertEqual(recorder.changes, [])
    try store.commitWrite(withoutNotifying: tokens(recorder))

    XCTAssertEqual(recorder.changes, ["-[0] +[9] ~[]"])
    XCTAssertEqual(recorder.values, Array(1...10))
    XCTAssertEqual(recorder.violations, [])
    try store.write { store.objects(Item.self)[0].value = 20 }
    XCTAssertEqual(recorder.changes.last, "-[] +[] ~[0]")
  }

  func testACallbackThatWritesWithoutNotifyingItselfDoesNotCallItselfForEver() throws {
    let store = try storeOfTen()
    let other = try anotherStore()
    let items = store.objects(Item.self)
    var first = 0
    var second = 0
    var ownToken: NotificationToken?
    let token = items.observe { if case .update = $0 { first += 1 } }
    ownToken = items.observe { change in
      guard case .update = change, let ownToken else { return }
      second += 1
      do { try store.write(withoutNotifying: [ownToken]) { try store.add(Item(100)) } } catch {
        XCTFail("\(error)")
      }
    }

    for round in 1...3 {
      try other.write { try other.add(Item(round)) }
      store.refresh()

      XCTAssertEqual(second, round)
      XCTAssertEqual(first, 2 * round)
    }
    XCTAssertEqual(store.objects(Item.self).count, 16)
    token.invalidate()
  }

  func testTenWritesWithoutNotifyingInARowAreAllSilent() throws {
    let store = try storeOfTen()
    let recorder = recorder(store)

    for value in 0..<10 {
      try store.write(withoutNotifying: tokens(recorder)) { try store.add(Item(value)) }
      store.refresh()
    }

    XCTAssertEqual(recorder.changes, [])
    XCTAssertEqual(store.objects(Item.self).count, 20)
  }

  func testAnObserverThatIsMadeInTheWriteBeginsAfterIt() throws {
    let store = try storeOfTen()

    try store.beginWrite()
    let recorder = recorder(store)
    try store.add(Item(10))
    try store.commitWrite(withoutNotifying: tokens(recorder))

    XCTAssertEqual(recorder.initialCalls, 1)
    XCTAssertEqual(recorder.values, Array(0...10))
  }

  func testATokenOfAnotherStoreIsRefused() throws {
    let store = try storeOfTen()
    let other = try anotherStore()
    let recorder = recorder(other)

    assertThrows(.wrongStore) {
      try store.write(withoutNotifying: tokens(recorder)) { try store.add(Item(10)) }
    }
    try store.beginWrite()
    try store.add(Item(10))
    assertThrows(.wrongStore) { try store.commitWrite(withoutNotifying: tokens(recorder)) }

    XCTAssertFalse(store.isInWriteTransaction)
    XCTAssertEqual(store.objects(Item.self).count, 10)
  }

  func testAnEndedTokenIsIgnored() throws {
    let store = try storeOfTen()
    let recorder = recorder(store)
    recorder.stop()

    try store.write(withoutNotifying: tokens(recorder)) { try store.add(Item(10)) }

    XCTAssertEqual(store.objects(Item.self).count, 11)
  }

  func testAllKindsOfObserversAreLeftOut() throws {
    let store = try storeOfTen()
    let item = try XCTUnwrap(store.objects(Item.self).first)
    var calls: [String] = []
    let ofStore = store.observe { _, _ in calls.append("store") }
    let ofObject = item.observe { change in
      guard case .change(_, let properties) = change else { return calls.append("\(change)") }
      calls.append(properties.map { "\($0.oldValue ?? "nil")→\($0.newValue ?? "nil")" }.joined())
    }

    try store.write(withoutNotifying: [ofStore, ofObject]) { item.value = 20 }
    XCTAssertEqual(calls, [])
    try store.write(withoutNotifying: [ofStore]) { item.value = 30 }

    XCTAssertEqual(calls, ["20→30"])
  }

  func testADeletionIsLeftOutToo() throws {
    let store = try storeOfTen()
    let item = try XCTUnwrap(store.objects(Item.self).first)
    var calls = 0
    let token = item.observe { _ in calls += 1 }

    try store.write(withoutNotifying: [token]) { try store.delete(item) }
    try store.write { try store.add(Item(10)) }

    XCTAssertEqual(calls, 0)
  }

  /// The law: what was told, and what the left out writes did, together make what is there.
  func testWhatIsToldAndWhatIsLeftOutMakeTheWhole() throws {
    try forEachSeed(6) { seed in
      try checkTheWhole(seed: seed, isSorted: seed % 2 == 0)
    }
  }

  private func checkTheWhole(seed: UInt64, isSorted: Bool) throws {
    let directory = try TemporaryDirectory()
    let configuration = directory.configuration(objectTypes: [Item.self])
    let store = try Store(configuration: configuration)
    try store.write { for value in 0..<20 { try store.add(Item(value)) } }
    let mirror = Mirror(store, isSorted: isSorted)
    let isDone = Locked(false)
    let thread = Thread {
      guard let other = try? Store(configuration: configuration) else { return }
      var random = SeededGenerator(seed: seed &+ 1_000)
      while !isDone.withLock({ $0 }) {
        _ = try? other.write { try Mirror.change(other, &random) }
      }
    }
    thread.start()
    defer { isDone.withLock { $0 = true } }

    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      if Int.random(in: 0..<3, using: &random) > 0 {
        try mirror.changeSilently(&random)
      } else {
        store.refresh()
      }
    }
    isDone.withLock { $0 = true }
    // The other thread's last write, if one is running, ends before this one begins.
    try mirror.changeSilently(&random)
    while thread.isExecuting { store.waitForChanges(timeout: .milliseconds(20)) }
    store.refresh()

    XCTAssertEqual(mirror.problems, [], "seed \(seed)")
    XCTAssertEqual(mirror.entries, Mirror.entries(mirror.items), "seed \(seed)")
  }
}

/// A copy of observed items that applies its own writes by itself, and those of others as told.
private final class Mirror {
  struct Entry: Equatable {
    let row: UInt64
    var value: Int
  }

  let items: Results<Item>
  private(set) var entries: [Entry] = []
  private(set) var problems: [String] = []
  private let store: Store
  private let isSorted: Bool
  private var token: NotificationToken?
  /// A silent write that is not in `entries` yet: its version, and what it does to them.
  private var own: (version: StoreVersion, apply: (inout [Entry]) -> Void)?

  init(_ store: Store, isSorted: Bool) {
    self.store = store
    self.isSorted = isSorted
    let all = store.objects(Item.self)
    items = isSorted ? all.sorted(by: \.value) : all
    token = items.observe { [unowned self] in take($0) }
  }

  static func entries(_ items: Results<Item>) -> [Entry] {
    items.map { Entry(row: $0.access?.identity?.row ?? 0, value: $0.value) }
  }

  /// Adds, changes or deletes an item at random.
  ///
  /// - Returns: What that does to entries.
  @discardableResult
  static func change(
    _ store: Store, _ random: inout SeededGenerator
  ) throws -> (inout [Entry]) -> Void {
    let value = Int.random(in: 0..<50, using: &random)
    let items = store.objects(Item.self)
    guard let item = items.randomElement(using: &random), value > 15 || items.count > 40 else {
      let row = try store.add(Item(value)).access?.identity?.row ?? 0
      return { $0.append(Entry(row: row, value: value)) }
    }
    let row = item.access?.identity?.row ?? 0
    if value > 35 || items.count > 40 {
      try store.delete(item)
      return { $0.removeAll { $0.row == row } }
    }
    item.value = value
    return { entries in
      for position in entries.indices where entries[position].row == row {
        entries[position].value = value
      }
    }
  }

  func changeSilently(_ random: inout SeededGenerator) throws {
    let before = store.version
    try store.write(withoutNotifying: token.map { [$0] } ?? []) {
      let apply = try Self.change(store, &random)
      let started = StoreVersion(number: store.version.number + 1)
      if started < before { problems.append("the version went back") }
      own = (started, apply)
    }
    applyOwn()
  }

  private func applyOwn() {
    own?.apply(&entries)
    own = nil
    entries.sort {
      isSorted ? ($0.value, $0.row) < ($1.value, $1.row) : $0.row < $1.row
    }
  }

  private func take(_ change: ObservedChange<Results<Item>>) {
    switch change {
    case .initial(let items): entries = Self.entries(items)
    case .error(let error): problems.append("\(error)")
    case .update(let items, let deletions, let insertions, let modifications):
      if let own, store.version >= own.version { applyOwn() }
      let new = Self.entries(items)
      var rows = entries
      guard deletions.allSatisfy(rows.indices.contains), insertions.allSatisfy(new.indices.contains)
      else { return problems.append("a position is outside") }
      for position in modifications { rows[position].value = .max }
      for position in deletions.reversed() { rows.remove(at: position) }
      for position in insertions where position <= rows.count {
        rows.insert(new[position], at: position)
      }
      let isRight =
        rows.count == new.count
        && zip(rows, new).allSatisfy {
          $0.row == $1.row && ($0.value == .max || $0.value == $1.value)
        }
      if !isRight { problems.append("\(entries) \(change) \(new)") }
      entries = new
    }
  }
}
