import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Objects that lead to each other, changed and deleted by another process.
final class CrossProcessGraphTests: ProcessTestCase {
  /// What an observer was told.
  private final class Calls {
    var texts: [String] = []
    var token: NotificationToken?

    func take<C>(_ change: ObservedChange<C>) {
      switch change {
      case .initial: break
      case .update(_, let deletions, let insertions, let modifications):
        texts.append("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): texts.append("\(error)")
      }
    }

    func take<Value>(_ change: MapChange<String, Value>) {
      switch change {
      case .initial: break
      case .update(_, let deletions, let insertions, let modifications):
        texts.append("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): texts.append("\(error)")
      }
    }

    func take<T>(_ change: ObjectChange<T>) {
      switch change {
      case .change(_, let properties):
        texts.append(properties.map(\.name).sorted().joined(separator: " "))
      case .deleted: texts.append("deleted")
      case .error(let error): texts.append("\(error)")
      }
    }
  }

  private var process: ChildProcess?

  override func tearDown() {
    process = nil
    super.tearDown()
  }

  private func calls<T: Object>(_ results: Results<T>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = results.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  private func calls<Element>(_ list: List<Element>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = list.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  private func calls<Element>(_ set: MutableSet<Element>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = set.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  private func calls<Value>(_ map: Map<String, Value>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = map.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  private func calls<T>(_ objects: LinkingObjects<T>, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = objects.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  private func calls<T: Object>(of object: T, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = object.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  /// A store of ships, each with a harbor of its own, and with all other ships as friends.
  private func fleet(_ count: Int) throws -> Store {
    let store = try temporaryDirectory().store(objectTypes: [Ship.self])
    let harbors = (0..<count).map { Harbor(100 + $0) }
    let ships = (0..<count).map { Ship($0) }
    for (ship, harbor) in zip(ships, harbors) {
      ship.title = "ship \(ship.number)"
      ship.home = harbor
      ship.route.append(contentsOf: harbors)
      ship.berths["berth"] = harbor
      ship.notes.append(contentsOf: [.int(1), .object(harbor)])
      ship.papers["paper"] = .object(harbor)
      let visit = Visit()
      visit.port = harbor
      ship.latest = visit
    }
    try store.write {
      try store.add(ships)
      for ship in ships { ship.friends.insert(contentsOf: ships) }
    }
    return store
  }

  /// Lets the other process make a commit.
  private func elsewhere(_ line: String) throws {
    let process = try process ?? child("sail")
    if self.process == nil { XCTAssertEqual(try process.requiredLine(), "ready") }
    self.process = process
    process.send(line)
    XCTAssertEqual(try process.requiredLine(), line)
  }

  // MARK: Objects that are gone

  func testAnObjectThatAnotherProcessDeletesIsEmptyWhateverItLedTo() throws {
    // given: an object, and what it holds
    let store = try fleet(3)
    let ships = store.objects(Ship.self)
    let (ship, kept) = (ships[1], ships[2])
    let visit = try XCTUnwrap(ship.latest)
    let (route, friends, berths) = (ship.route, ship.friends, ship.berths)
    let visitors = try XCTUnwrap(store.objects(Harbor.self).first).visitors
    XCTAssertEqual(visitors.count, 3)

    // when
    try elsewhere("delete ship 1")

    // then: without a refresh, and said once for each class
    let messages = Locked<[String]>([])
    Log.setHandler { message in messages.withLock { $0.append(message) } }
    defer { Log.setHandler(nil) }
    for _ in 0..<2 {
      XCTAssertEqual(ship.title, "")
      XCTAssertEqual(ship.number, 0)
      XCTAssertNil(ship.home)
      XCTAssertNil(ship.latest)
      XCTAssertEqual(ship.route.count, 0)
      XCTAssertEqual(Array(ship.friends), [])
      XCTAssertEqual(ship.flag, .none)
      XCTAssertEqual(ship.berths.keys, [])
      XCTAssertTrue(ship.description.hasPrefix("Ship { number = 0; title = \"\""), "\(ship)")
      XCTAssertTrue(ship.isInvalidated)
    }
    XCTAssertEqual(messages.withLock { $0.count }, 1, "\(messages.withLock { $0 })")
    XCTAssertEqual(route.count + friends.count + berths.count, 0)
    XCTAssertTrue(route.isInvalidated && friends.isInvalidated && berths.isInvalidated)
    XCTAssertEqual(visit.day, 0)
    XCTAssertNil(visit.port)
    XCTAssertTrue(visit.isInvalidated)
    XCTAssertEqual(messages.withLock { $0.count }, 2, "\(messages.withLock { $0 })")
    XCTAssertEqual(visitors.map(\.number), [0, 2])
    XCTAssertEqual(kept.friends.map(\.number), [0, 2])

    // then: a write that sets it fails, and its other changes are undone
    let changes: [() throws -> Void] = [
      { ship.title = "back" }, { ship.home = kept.home }, { ship.home = nil },
      { ship.route.append(Harbor(999)) }, { route.removeAll() }, { friends.insert(kept) },
      { berths["new"] = kept.home }, { ship.flag = .int(1) }, { visit.day = 5 },
      { ship.numbers = [1] }, { ship.notes.append(.int(1)) }, { ship.latest = Visit() },
      { kept.sister = ship }, { kept.friends.insert(ship) }, { kept.flag = .object(ship) },
      { try store.delete(ship) },
    ]
    for (number, change) in changes.enumerated() {
      XCTAssertThrowsError(
        try store.write {
          kept.title = "lost"
          kept.route.removeAll()
          kept.papers["lost"] = .int(1)
          try store.add(Harbor(1_000))
          try change()
        }, "\(number)"
      ) { error in
        guard case StoreError.invalidatedObject = error else { return XCTFail("\(error)") }
      }
    }
    XCTAssertEqual(kept.title, "ship 2")
    XCTAssertEqual(kept.route.count, 3)
    XCTAssertEqual(kept.papers.keys, ["paper"])
    XCTAssertNil(store.object(ofType: Harbor.self, forPrimaryKey: 1_000))
    XCTAssertNoThrow(try store.verify())
  }

  func testCirclesAndLongListsThatAnotherProcessChangesArePrintedShortly() throws {
    let store = try fleet(2)
    let ships = store.objects(Ship.self)
    let (first, second) = (ships[0], ships[1])
    try store.write {
      (first.sister, second.sister) = (second, first)
      (first.flag, second.flag) = (.object(second), .object(first))
      first.numbers.append(contentsOf: 0..<100_000)
    }
    for line in ["title 1 x; number 0 5", "delete ship 1", "delete ship 0"] {
      try elsewhere(line)
      for text in ["\(first)", "\(second)"] {
        XCTAssertLessThan(text.utf8.count, 10_000)
        XCTAssertTrue(text.hasPrefix("Ship {"), text)
      }
      for text in ["\(first.numbers)", "\(first.friends)", "\(first.sisters)"] {
        XCTAssertLessThan(text.utf8.count, 10_000)
        XCTAssertTrue(text.contains("List<Int>") || text.contains("Ship"), text)
      }
    }
    XCTAssertTrue(first.isInvalidated && second.isInvalidated)
  }

  // MARK: Everything is gone

  func testObserversHearThatAnotherProcessDeletesEverything() throws {
    let store = try fleet(3)
    let (ships, harbors) = (store.objects(Ship.self), store.objects(Harbor.self))
    let (ship, harbor) = (ships[1], harbors[1])
    try store.write { try store.add(Crate(1)) }
    let observers = [
      "ships": calls(ships), "titles": calls(ships, ["title"]),
      "descending": calls(ships.sorted(by: \.title, ascending: false)),
      "at home": calls(ships.where { $0.home.number > 100 }), "harbors": calls(harbors),
      "crates": calls(store.objects(Crate.self)), "route": calls(ship.route),
      "of route": calls(ship.route.where { $0.number > 100 }), "friends": calls(ship.friends),
      "berths": calls(ship.berths), "notes": calls(ship.notes), "papers": calls(ship.papers),
      "at harbor": calls(harbor.ships), "visitors": calls(harbor.visitors),
      "ship": calls(of: ship), "harbor": calls(of: harbor), "home": calls(of: ship, ["home"]),
      "home's name": calls(of: ship, ["home.name"]),
      "crate": calls(of: store.objects(Crate.self)[0]),
    ]
    func told(_ line: String) throws -> [String: String] {
      for calls in observers.values { calls.texts = [] }
      try elsewhere(line)
      XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)), line)
      return observers.mapValues { $0.texts.joined(separator: "; ") }.filter { !$0.value.isEmpty }
    }

    // All of what others lead to.
    XCTAssertEqual(
      try told("empty harbors"),
      [
        "ships": "-[] +[] ~[0, 1, 2]", "descending": "-[] +[] ~[0, 1, 2]",
        "at home": "-[0, 1] +[] ~[]", "harbors": "-[0, 1, 2] +[] ~[]",
        "route": "-[0, 1, 2] +[] ~[]", "of route": "-[0, 1] +[] ~[]",
        "friends": "-[] +[] ~[0, 1, 2]", "berths": #"-[] +[] ~["berth"]"#,
        "notes": "-[1] +[] ~[]", "papers": #"-[] +[] ~["paper"]"#,
        "at harbor": "-[0] +[] ~[]", "visitors": "-[0, 1, 2] +[] ~[]",
        "ship": "berths home latest notes papers route", "harbor": "deleted", "home": "home",
        "home's name": "home",
      ])
    XCTAssertEqual(
      try told("add harbor 200; add harbor 201; add harbor 202"),
      ["harbors": "-[] +[0, 1, 2] ~[]"])
    XCTAssertEqual(
      try told("call 1 200; call 1 201; home 1 202"),
      [
        "ships": "-[] +[] ~[1]", "descending": "-[] +[] ~[1]", "at home": "-[] +[0] ~[]",
        "harbors": "-[] +[] ~[0, 1, 2]", "route": "-[] +[0, 1] ~[]",
        "of route": "-[] +[0, 1] ~[]", "friends": "-[] +[] ~[1]", "ship": "home route",
        "home": "home", "home's name": "home",
      ])

    // Everything, and three more.
    XCTAssertEqual(
      try told("empty"),
      [
        "ships": "-[0, 1, 2] +[] ~[]", "titles": "-[0, 1, 2] +[] ~[]",
        "descending": "-[0, 1, 2] +[] ~[]", "at home": "-[0] +[] ~[]",
        "harbors": "-[0, 1, 2] +[] ~[]", "crates": "-[0] +[] ~[]", "route": "-[0, 1] +[] ~[]",
        "of route": "-[0, 1] +[] ~[]", "friends": "-[0, 1, 2] +[] ~[]",
        "berths": #"-["berth"] +[] ~[]"#, "notes": "-[0] +[] ~[]", "papers": #"-["paper"] +[] ~[]"#,
        "ship": "deleted", "home": "deleted", "home's name": "deleted", "crate": "deleted",
      ])
    XCTAssertEqual(
      try told("add ship 0; add ship 1; add ship 2"),
      [
        "ships": "-[] +[0, 1, 2] ~[]", "titles": "-[] +[0, 1, 2] ~[]",
        "descending": "-[] +[0, 1, 2] ~[]",
      ])
    XCTAssertEqual(ships.count, 3)
    XCTAssertNoThrow(try store.verify())
  }

  func testAGraphIsWholeWhereverItsWriterIsKilled() throws {
    let store = try fleet(4)
    let (first, second) = (store.objects(Ship.self)[0], store.objects(Ship.self)[1])
    var seen: [Int] = []
    let large = first.numbers.where { $0 > 100 }.sorted(by: \.self, ascending: false)
    let token = large.observe { (change: ObservedChange<Results<Int>>) in
      guard case .update(let numbers, let deletions, let insertions, let modifications) = change
      else { return }
      let now = numbers.indices.map { numbers[$0] }
      let checker = ChangeSetChecker(
        deletions: deletions, insertions: insertions, modifications: modifications)
      do { try checker.check(old: seen, new: now) } catch { XCTFail("\(error)") }
      seen = now
    }
    var generator = SeededGenerator(seed: 17)
    for round in 0..<testScale(25) {
      let process = try child("sail")
      XCTAssertEqual(try process.requiredLine(), "ready")
      for number in 0..<60 {
        let (ship, harbor) = (number % 4, 100 + number % 3)
        process.send(
          "number 0 \(round * 100 + number); call \(ship) \(harbor); home \(ship) \(harbor)"
            + "; visit \(ship) \(number) \(harbor); berth \(ship) k\(number) \(harbor)"
            + "; befriend 3 \(ship); delete harbor \(harbor); add harbor \(harbor)"
            + "; delete ship 3; add ship 3; call 3 \(harbor); note 3 \(harbor)"
            + "; number 1 \(round * 100 + number)")
      }
      for _ in 0..<Int.random(in: 0..<40, using: &generator) { _ = try process.requiredLine() }
      process.signal(SIGKILL)
      _ = try process.remainingLines()
      XCTAssertEqual(try process.wait(), .killed(SIGKILL))

      // A commit whose writer died before it showed it to readers is shown by the next writer.
      try store.beginWrite()
      try store.cancelWrite()
      store.refresh()
      XCTAssertEqual(Array(first.numbers), Array(second.numbers), "round \(round)")
      XCTAssertEqual(seen, first.numbers.filter { $0 > 100 }.sorted(by: >), "round \(round)")
      try store.verify()
      XCTAssertEqual(try store.verificationReport().orphans, [], "round \(round)")
    }
    token.invalidate()
  }

  func testAnEmptiedAndRefilledStoreIsOneChangeWhereTheCommitsFallTogether() throws {
    let store = try fleet(3)
    let ship = store.objects(Ship.self)[1]
    let observers = [
      calls(store.objects(Ship.self)), calls(store.objects(Harbor.self)), calls(ship.route),
      calls(ship.friends), calls(of: ship),
    ]
    for line in [
      "empty harbors", "add harbor 100; add harbor 101", "empty", "add ship 1", "add harbor 100",
    ] { try elsewhere(line) }
    XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    XCTAssertEqual(
      observers.map(\.texts),
      [
        ["-[0, 1, 2] +[0] ~[]"], ["-[0, 1, 2] +[0] ~[]"], ["-[0, 1, 2] +[] ~[]"],
        ["-[0, 1, 2] +[] ~[]"], ["deleted"],
      ])
    XCTAssertFalse(store.refresh())
  }

  // MARK: Filters

  func testFiltersAreStrictForCommitsOfAnotherProcess() throws {
    let store = try fleet(6)
    let ships = store.objects(Ship.self)
    let ship = ships[4]
    let friends = ships[0].friends
    let filters: [[String]?] = [["title"], ["numbers"], nil, ["home.name"]]
    let observed: [(name: String, told: String, observe: ([String]?) -> Calls)] = [
      ("results", "-[] +[] ~[4]", { self.calls(ships, $0) }),
      ("some", "-[] +[] ~[2]", { self.calls(ships.where { $0.number >= 2 }, $0) }),
      ("at home", "-[] +[] ~[3]", { self.calls(ships.where { $0.home.number > 100 }, $0) }),
      ("set", "-[] +[] ~[4]", { self.calls(friends, $0) }),
      ("inverse", "-[] +[] ~[4]", { self.calls(ships[0].friendOf, $0) }),
    ]
    let observers = observed.map { one in filters.map { one.observe($0) } }
    let wrong = calls(ships, ["titel"])
    let objects = filters.map { calls(of: ship, $0) }
    let neighbours = filters.map { calls(of: ships[3], $0) }
    let steps: [(line: String, heard: [Int], properties: [String])] = [
      ("number 4 1", [1, 2], ["numbers"]),
      ("title 4 x; number 4 2", [0, 1, 2], ["numbers title"]),
      ("name 104 x", [3], []),
      ("title 4 x", [], []), ("title 4 y; title 4 x", [], []), ("name 104 y; name 104 x", [], []),
      ("home 4 101; home 4 104", [], []),
      ("add harbor 300", [], []),
      ("home 4 300", [2, 3], ["home"]), ("name 104 z", [], []), ("name 300 z", [3], []),
    ]
    for step in steps {
      for calls in observers.joined() { calls.texts = [] }
      for calls in objects { calls.texts = [] }
      try elsewhere(step.line)
      store.refresh()
      for (one, calls) in zip(observed, observers) {
        for index in filters.indices {
          XCTAssertEqual(
            calls[index].texts, step.heard.contains(index) ? [one.told] : [],
            "\(one.name), \(step.line), \(filters[index] ?? [])")
        }
      }
      XCTAssertEqual(
        filters.indices.filter { !objects[$0].texts.isEmpty },
        step.heard.filter { $0 != 2 || !step.properties.isEmpty }, step.line)
      XCTAssertEqual(objects[2].texts, step.properties, step.line)
    }
    XCTAssertEqual(wrong.texts.count, 1)
    for calls in neighbours { XCTAssertEqual(calls.texts, []) }

    // What falls together counts by what it comes to.
    for calls in observers.joined() { calls.texts = [] }
    for line in ["title 4 a", "name 300 a", "title 4 x", "number 4 3"] { try elsewhere(line) }
    XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    for (one, calls) in zip(observed, observers) {
      XCTAssertEqual(calls.map(\.texts), [[], [one.told], [one.told], [one.told]], one.name)
    }
  }

  // MARK: Collections

  func testCollectionsAreToldStepByStep() throws {
    let store = try fleet(4)
    let ship = store.objects(Ship.self)[1]
    try store.write { ship.route.append(ship.route[2]) }
    let observers = [
      "route": calls(ship.route), "berths": calls(ship.berths), "friends": calls(ship.friends),
      "notes": calls(ship.notes), "papers": calls(ship.papers), "visits": calls(ship.visits),
      "some": calls(ship.route.where { $0.number > 100 }),
    ]
    let steps: [(line: String, told: [String: String])] = [
      ("name 102 x", ["route": "-[] +[] ~[2, 4]", "some": "-[] +[] ~[1, 3]"]),
      (
        "name 102 y; turn 1 4 0",
        ["route": "-[4] +[0] ~[2]", "some": "-[3] +[0] ~[1]"]
      ),
      ("turn 1 2 2", [:]), ("call 1 103; pass 1 5", [:]),
      ("delete harbor 102", ["route": "-[0, 3] +[] ~[]", "some": "-[0, 2] +[] ~[]"]),
      (
        // A harbor changes with the ships that have a berth there.
        "berth 1 a 100; berth 1 b 100",
        ["berths": #"-[] +["a", "b"] ~[]"#, "route": "-[] +[] ~[0]"]
      ),
      (
        "berth 1 a 103",
        ["berths": #"-[] +[] ~["a"]"#, "route": "-[] +[] ~[2]", "some": "-[] +[] ~[1]"]
      ),
      ("berth 1 a 103", [:]),
      (
        "berth 1 a nil",
        ["berths": #"-["a"] +[] ~[]"#, "route": "-[] +[] ~[2]", "some": "-[] +[] ~[1]"]
      ),
      ("note 1 100; paper 1 a 100", ["notes": "-[] +[2] ~[]", "papers": #"-[] +["a"] ~[]"#]),
      (
        "delete harbor 100",
        [
          "route": "-[0] +[] ~[]", "berths": #"-[] +[] ~["b"]"#, "notes": "-[2] +[] ~[]",
          "papers": #"-[] +[] ~["a"]"#, "friends": "-[] +[] ~[0, 1, 2, 3]",
        ]
      ),
      ("visit 1 3 101; visit 1 4 101", ["visits": "-[] +[0, 1] ~[]"]),
      ("day 1 0 3", [:]), ("day 1 1 5", ["visits": "-[] +[] ~[1]"]),
      ("rest 1; call 1 101", ["route": "-[1] +[] ~[]", "some": "-[1] +[] ~[]"]),
      (
        "delete ship 2",
        [
          "friends": "-[2] +[] ~[0, 1, 3]", "route": "-[] +[] ~[0]", "some": "-[] +[] ~[0]",
          "berths": #"-[] +[] ~["berth"]"#, "notes": "-[] +[] ~[1]",
          "papers": #"-[] +[] ~["paper"]"#,
        ]
      ),
      ("add ship 2", [:]), ("befriend 1 2", ["friends": "-[] +[3] ~[1]"]),
      (
        "delete ship 1",
        [
          "route": "-[0] +[] ~[]", "some": "-[0] +[] ~[]", "berths": #"-["b", "berth"] +[] ~[]"#,
          "friends": "-[0, 1, 2, 3] +[] ~[]", "notes": "-[0, 1] +[] ~[]",
          "papers": #"-["a", "paper"] +[] ~[]"#, "visits": "-[0, 1] +[] ~[]",
        ]
      ),
      ("add ship 1; call 1 101", [:]),
    ]
    for (number, step) in steps.enumerated() {
      for calls in observers.values { calls.texts = [] }
      try elsewhere(step.line)
      store.refresh()
      var told = observers.mapValues { $0.texts.joined(separator: "; ") }.filter {
        !$0.value.isEmpty
      }
      // A friend changes with all that leads to it and that it leads to.
      if step.told["friends"] == nil { told["friends"] = nil }
      XCTAssertEqual(told, step.told, "\(number): \(step.line)")
    }
  }
}
