import Leyden
import TestSupport
import XCTest

/// When observers are called, and how often.
final class DeliveryTests: StoreTestCase {
  func testAnObserverThatIsMadeInsideAWriteHearsTheResultOnce() throws {
    let store = try store()
    var calls: [String] = []

    var token: NotificationToken?
    try store.write {
      try store.add(Item(1))
      token = store.objects(Item.self).observe { change in
        guard case .initial(let items) = change else { return calls.append("update") }
        XCTAssertFalse(store.isInWriteTransaction)
        calls.append("initial \(items.map(\.value))")
      }
      XCTAssertEqual(calls, [])
      try store.add(Item(2))
    }

    XCTAssertEqual(calls, ["initial [1, 2]"])
    try store.write { try store.add(Item(3)) }
    XCTAssertEqual(calls, ["initial [1, 2]", "update"])
    token?.invalidate()
  }

  func testEndedObservationsAreLetGoWhereNobodyWrites() throws {
    let store = try store()
    let notifier = Notifier.of(store.session)
    func observers() throws -> [Any] {
      let observers = Mirror(reflecting: notifier).children.first { $0.label == "observers" }
      return try XCTUnwrap(observers?.value as? [Any])
    }
    let kept = store.objects(Item.self).observe { _ in }

    for _ in 1...1_000 { store.objects(Item.self).observe { _ in }.invalidate() }

    XCTAssertLessThan(try observers().count, 100)
    var calls = 0
    let last = store.objects(Item.self).observe { _ in calls += 1 }
    try store.write { try store.add(Item(1)) }
    XCTAssertEqual(calls, 2)
    XCTAssertEqual(try observers().count, 2)
    kept.invalidate()
    last.invalidate()
  }

  func testAnObserverThatIsMadeInsideACancelledWriteHearsTheOldState() throws {
    let store = try store()
    var recorder: ChangeRecorder<Item, Int>?

    try store.write {
      recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
      try store.add(Item(2))
      try store.cancelWrite()
    }

    XCTAssertEqual(recorder?.initialCalls, 1)
    XCTAssertEqual(recorder?.values, [])
    XCTAssertEqual(recorder?.changes, [])
  }

  func testAnObserverEndsItselfAndOthersWhileItIsCalled() throws {
    let store = try store()
    var calls: [String] = []
    var tokens: [NotificationToken] = []
    for name in ["a", "b", "c"] {
      tokens.append(
        store.objects(Item.self).observe { change in
          guard case .update = change else { return }
          calls.append(name)
          if name == "b" { tokens.forEach { $0.invalidate() } }
        })
    }

    try store.write { try store.add(Item(1)) }
    try store.write { try store.add(Item(2)) }

    XCTAssertEqual(calls, ["a", "b"])
  }

  func testATokenThatWasReleasedBeforeTheDeliveryIsNotCalled() throws {
    let store = try store()
    let other = try anotherStore()
    var calls = 0
    var token: NotificationToken? = store.objects(Item.self).observe { _ in calls += 1 }
    XCTAssertEqual(calls, 1)

    try other.write { try other.add(Item(1)) }
    XCTAssertNotNil(token)
    token = nil

    XCTAssertTrue(store.refresh())
    XCTAssertEqual(calls, 1)
  }

  func testACallbackThatWritesIsNeverCalledRecursively() throws {
    let store = try store()
    try store.write { for value in 0..<4 { try store.add(Item(value)) } }
    let items = store.objects(Item.self)
    var counts: [[Int]] = [[], [], []]
    var depth = 0
    let tokens = (0..<3).map { number in
      items.observe { change in
        depth += 1
        defer { depth -= 1 }
        XCTAssertEqual(depth, 1)
        guard case .update(let items, let deletions, let insertions, _) = change else {
          return counts[number].append(items.count)
        }
        XCTAssertEqual(insertions, [])
        // Each change leads up to the version that the store shows then.
        let before = counts[number].last ?? 0
        XCTAssertEqual(deletions, Array(items.count..<before))
        counts[number].append(items.count)
        guard number == 1, let last = items.last else { return }
        do { try store.write { try store.delete(last) } } catch { XCTFail("\(error)") }
      }
    }

    try store.write { try store.delete(try XCTUnwrap(items.last)) }

    XCTAssertEqual(counts, [[4, 3, 2, 1, 0], [4, 3, 2, 1, 0], [4, 2, 1, 0]])
    XCTAssertEqual(tokens.count, 3)
  }

  func testACallbackSeesTheVersionThatItWasCalledFor() throws {
    let store = try store()
    let other = try anotherStore()
    var counts: [Int] = []
    let items = store.objects(Item.self)
    let token = items.observe { change in
      guard case .update(let items, _, let insertions, _) = change else { return }
      do {
        if items.count < 4 { try other.write { try other.add(Item(9)) } }
      } catch { XCTFail("\(error)") }
      XCTAssertEqual(insertions, [items.count - 1])
      counts.append(items.count)
    }

    try store.write { try store.add(Item(1)) }
    while store.refresh() {}

    XCTAssertEqual(counts, [1, 2, 3, 4])
    token.invalidate()
  }

  func testManyCommitsThatNobodyTakesNoteOfDoNotBlockTheWriter() throws {
    let store = try store()
    let other = try anotherStore()
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    let item = try other.write { try other.add(Item(0)) }

    let last = testScale(9_000)
    for value in 1...last { try other.write { item.value = value } }

    XCTAssertTrue(store.refresh())
    XCTAssertEqual(recorder.changes, ["-[] +[0] ~[]"])
    XCTAssertEqual(recorder.values, [last])
    XCTAssertFalse(store.refresh())
  }

  func testAWriteThatThrowsTellsNobody() throws {
    struct Refusal: Error {}
    let store = try store()
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    let version = store.version

    XCTAssertThrowsError(
      try store.write {
        try store.add(Item(1))
        throw Refusal()
      }
    ) { XCTAssertTrue($0 is Refusal) }

    XCTAssertEqual(recorder.changes, [])
    XCTAssertEqual(store.version, version)
    XCTAssertEqual(store.objects(Item.self).count, 0)
  }

  func testAWriteThatChangedNothingMakesNoVersion() throws {
    let store = try store()
    let item = try store.write { try store.add(Item(1)) }
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    let version = store.version

    try store.write {}
    try store.write { item.value = 1 }
    try store.write {
      item.value = 2
      item.value = 1
    }
    try store.write { try store.delete(store.add(Item(5))) }

    XCTAssertEqual(store.version, version)
    XCTAssertFalse(store.refresh())
    XCTAssertEqual(recorder.changes, [])
  }

  func testAWrongKeyPathGivesAnErrorAndNothingElse() throws {
    let store = try store()
    let recorder = ChangeRecorder(store.objects(Card.self), keyPaths: ["titel"]) { $0.value }

    try store.write { try store.add(Card("a")) }

    XCTAssertEqual(recorder.errors.count, 1)
    guard case .invalidQuery(let reason, _)? = recorder.errors.first else {
      return XCTFail("\(recorder.errors)")
    }
    XCTAssertTrue(reason.contains("titel"), reason)
    XCTAssertEqual(recorder.initialCalls, 0)
    XCTAssertEqual(recorder.changes, [])
  }

  func testFiltersAreStrictForEachObserver() throws {
    let store = try store()
    try store.write { for number in 0..<10 { try store.add(Card("\(number)", rank: number)) } }
    let cards = store.objects(Card.self)
    let title = ChangeRecorder(cards, keyPaths: ["title"], differs: { $0.title != $1.title }) {
      $0.value
    }
    let rank = ChangeRecorder(cards, keyPaths: ["rank"], differs: { $0.rank != $1.rank }) {
      $0.value
    }
    let all = ChangeRecorder(cards) { $0.value }
    let card = try XCTUnwrap(store.object(ofType: Card.self, forPrimaryKey: "4"))
    func counts() -> [Int] { [title, rank, all].map(\.changes.count) }

    try store.write { card.rank = 40 }
    XCTAssertEqual(counts(), [0, 1, 1])
    try store.write {
      card.title = "x"
      card.rank = 41
    }
    XCTAssertEqual(counts(), [1, 2, 2])
    try store.write { card.title = "x" }
    try store.write {
      card.rank += 1
      card.rank -= 1
    }

    XCTAssertEqual(counts(), [1, 2, 2])
    for recorder in [title, rank, all] {
      XCTAssertEqual(Set(recorder.changes), ["-[] +[] ~[4]"])
      XCTAssertEqual(recorder.violations, [])
    }
  }

  func testTheKeyPathsOfAModelAreFiltersAsWell() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a")) }
    var calls = 0
    let token = store.objects(Card.self).observe(keyPaths: [\.title, \.score]) { _ in calls += 1 }

    try store.write { card.rank = 1 }
    XCTAssertEqual(calls, 1)
    try store.write { card.score = 1 }

    XCTAssertEqual(calls, 2)
    token.invalidate()
  }

  func testAModificationBesideInsertionsAndDeletions() throws {
    let store = try store()
    let ranks = ["A": 10, "B": 20, "C": 30, "D": 40, "E": 50]
    try store.write {
      for (name, rank) in ranks.sorted(by: { $0.key < $1.key }) {
        try store.add(Card(name, title: name, rank: rank))
      }
    }
    let recorder = ChangeRecorder(store.objects(Card.self).sorted(by: \.rank)) { $0.value }
    func card(_ name: String) throws -> Card {
      try XCTUnwrap(store.object(ofType: Card.self, forPrimaryKey: name))
    }

    try store.write {
      try store.delete(card("A"))
      try store.add([Card("Y", rank: 5), Card("X", rank: 25)])
      try card("D").title = "D!"
    }

    XCTAssertEqual(recorder.changes, ["-[0] +[0, 2] ~[3]"])
    XCTAssertEqual(recorder.values.map(\.identifier).joined(), "YBXCDE")
    XCTAssertEqual(recorder.violations, [])
  }

  func testDeletingEverythingOfOneTypeLeavesTheOtherAlone() throws {
    let store = try store()
    let add = {
      try store.write { for name in ["a", "b", "c"] { try store.add(Card(name)) } }
    }
    try add()
    try store.write { try store.add(Item(1)) }
    let cards = ChangeRecorder(store.objects(Card.self)) { $0.value }
    let items = ChangeRecorder(store.objects(Item.self)) { $0.value }

    try store.write { try store.deleteAll(Card.self) }
    try add()
    try store.write { try store.deleteAll() }
    try add()

    XCTAssertEqual(
      cards.changes,
      [
        "-[0, 1, 2] +[] ~[]", "-[] +[0, 1, 2] ~[]", "-[0, 1, 2] +[] ~[]", "-[] +[0, 1, 2] ~[]",
      ])
    XCTAssertEqual(items.changes, ["-[0] +[] ~[]"])
    XCTAssertEqual(cards.violations, [])
  }

  func testWaitingForChangesReturnsAtOnceWhereThereIsSomethingAndFalseWhereNot() throws {
    let store = try store()
    let other = try anotherStore()
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }

    XCTAssertFalse(store.waitForChanges(timeout: .milliseconds(20)))
    try other.write { try other.add(Item(1)) }

    XCTAssertTrue(store.waitForChanges(timeout: .zero))
    XCTAssertEqual(recorder.changes, ["-[] +[0] ~[]"])
    XCTAssertFalse(store.waitForChanges(timeout: .milliseconds(20)))
    var answer: Bool?
    try store.write { answer = store.waitForChanges(timeout: nil) }
    XCTAssertEqual(answer, false)
  }

  func testAStoreThatWasLetGoOfWithItsTokenIsFreed() throws {
    weak var session: AnyObject?
    try {
      let store = try anotherStore()
      let results = store.objects(Item.self)
      let token = results.observe { _ in }
      session = store.session
      token.invalidate()
    }()

    XCTAssertNil(session)
  }

  func testClosingAStoreEndsItsObserversSilently() throws {
    let store = try store()
    let other = try anotherStore()
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    store.close()

    try other.write { try other.add(Item(1)) }

    XCTAssertFalse(store.refresh())
    XCTAssertFalse(store.waitForChanges(timeout: .milliseconds(10)))
    XCTAssertEqual(recorder.changes, [])
    XCTAssertEqual(recorder.errors, [])
  }
}
