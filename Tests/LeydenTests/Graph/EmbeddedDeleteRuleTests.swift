import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What delete rules inside embedded objects do when these are deleted while their owner stays.
final class EmbeddedDeleteRuleTests: StoreTestCase {
  private final class Cabinet: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var title: String = ""
    @Persisted var tray: Tray?
    @Persisted var trays: List<Tray>
    @Persisted var byName: Map<String, Tray?>
    @Persisted var best: Gem?
    @Persisted var others: List<Gem>
  }

  private final class Tray: EmbeddedObject {
    @Persisted var title: String = ""
    @Persisted(deleteRule: .cascade) var owned: Gem?
    @Persisted(deleteRule: .cascade) var gems: List<Gem>
    @Persisted(deleteRule: .cascade) var unique: MutableSet<Gem>
    @Persisted(deleteRule: .cascade) var named: Map<String, Gem?>
    @Persisted(deleteRule: .cascade) var cabinet: Cabinet?
    @Persisted(deleteRule: .deny) var guarded: Gem?
    @Persisted var free: Gem?
    @Persisted var inner: Tray?
    @Persisted var inners: List<Tray>
    @Persisted var innersByName: Map<String, Tray?>
  }

  private final class Gem: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var weight: Int = 0
    @Persisted(deleteRule: .cascade) var next: Gem?
  }

  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Cabinet.self, Gem.self])
  }

  private func gem(_ name: String, next: Gem? = nil) -> Gem {
    let gem = Gem()
    gem.name = name
    gem.next = next
    return gem
  }

  /// A tray that owns a gem in each way, and another one by those, and leads to one freely.
  private func tray(_ name: String) -> Tray {
    let tray = Tray()
    tray.title = name
    tray.owned = gem("\(name) owned", next: gem("\(name) next"))
    tray.gems.append(gem("\(name) listed"))
    tray.unique.insert(gem("\(name) unique"))
    tray.named["k"] = gem("\(name) named")
    tray.free = gem("\(name) free")
    return tray
  }

  private func cabinet(_ name: String = "c") -> Cabinet {
    let cabinet = Cabinet()
    cabinet.name = name
    return cabinet
  }

  /// What takes an embedded object out of its place, and how it is got before.
  private typealias Removal = (
    name: String, find: (Cabinet) -> Tray?, remove: (Cabinet, Store) throws -> Void
  )

  /// In each place there is one tray, in lists the middle one of three.
  private var removals: [Removal] {
    func at(
      _ place: String, _ find: @escaping (Cabinet) -> Tray?,
      _ removals: KeyValuePairs<String, (Cabinet) -> Void>
    ) -> [Removal] {
      removals.map { (name, remove) in
        ("\(place) \(name)", find, { (cabinet, _) in remove(cabinet) })
      }
    }
    func of(
      _ place: String, _ list: @escaping (Cabinet) -> List<Tray>,
      _ assign: @escaping (Cabinet, List<Tray>) -> Void
    ) -> [Removal] {
      at(
        place, { list($0)[1] },
        [
          "remove": { list($0).remove(at: 1) },
          "removeSubrange": { list($0).removeSubrange(1..<2) },
          "removeLast": { list($0).removeLast(2) },
          "removeFirst": { list($0).removeFirst(2) },
          "remove at offsets": { list($0).remove(atOffsets: [0, 1]) },
          "remove where": { list($0).removeAll { $0.title == "x" } },
          "removeAll": { list($0).removeAll() },
          "set": { list($0)[1] = Tray() },
          "replace": { list($0).replace(index: 1, object: Tray()) },
          "replaceSubrange": { list($0).replaceSubrange(0..<3, with: [Tray()]) },
          "assign": { assign($0, [Tray()]) },
          "assign others": {
            let others = List<Tray>()
            others.append(contentsOf: [list($0)[2], list($0)[0]])
            assign($0, others)
          },
        ])
    }
    func of(
      _ place: String, _ map: @escaping (Cabinet) -> Map<String, Tray?>,
      _ assign: @escaping (Cabinet, Map<String, Tray?>) -> Void
    ) -> [Removal] {
      at(
        place, { map($0)["k"] ?? nil },
        [
          "remove": { map($0)["k"] = nil },
          "set nil": { map($0)["k"] = .some(nil) },
          "set": { map($0)["k"] = Tray() },
          "removeAll": { map($0).removeAll() },
          "merge": { map($0).merge([("k", Tray())]) { $1 } },
          "assign": { assign($0, ["k": Tray()]) },
        ])
    }
    let upserts: [Removal] = [
      (
        "tray update", { $0.tray },
        { (cabinet, store) in
          let other = self.cabinet()
          other.trays.append(contentsOf: cabinet.trays.map { _ in Tray() })
          other.byName = ["k": Tray()]
          try store.add(other, update: .modified)
        }
      ),
      (
        "trays update", { $0.trays[1] },
        { (cabinet, store) in
          let other = self.cabinet()
          other.tray = Tray()
          other.trays.append(Tray())
          other.byName = ["k": Tray()]
          try store.add(other, update: .all)
        }
      ),
      (
        "byName update", { $0.byName["k"] ?? nil },
        { (_, store) in
          try store.create(
            Cabinet.self, value: ["name": "c", "byName": ["j": [String: Any]()]] as [String: Any],
            update: .modified)
        }
      ),
      (
        "tray by name", { $0.tray },
        { (cabinet, _) in cabinet["tray"] = [String: Any]() }
      ),
      (
        "trays of results", { $0.trays[1] },
        { (_, store) in
          try store.objects(Cabinet.self).setValue([[String: Any]()], forKey: "trays")
        }
      ),
    ]
    return at("tray", { $0.tray }, ["nil": { $0.tray = nil }, "set": { $0.tray = Tray() }])
      + of("trays", { $0.trays }, { $0.trays = $1 })
      + of("byName", { $0.byName }, { $0.byName = $1 })
      + at(
        "inner", { $0.tray?.inner },
        [
          "nil": { $0.tray?.inner = nil }, "set": { $0.tray?.inner = Tray() },
          "outer nil": { $0.tray = nil },
        ])
      + of("inners", { $0.trays[0].inners }, { $0.trays[0].inners = $1 })
      + of("innersByName", { ($0.byName["k"] ?? nil)?.innersByName ?? [:] }) {
        ($0.byName["k"] ?? nil)?.innersByName = $1
      } + upserts
  }

  /// A cabinet with trays in all places: those that a removal takes are empty but the one that it is about.
  private func fill(_ removal: Removal, _ body: (Tray) -> Void) throws -> (Store, Cabinet) {
    let store = try Store(
      configuration: .init(
        inMemoryIdentifier: "rules \(UUID())", objectTypes: [Cabinet.self, Gem.self]))
    let cabinet = cabinet()
    cabinet.tray = Tray()
    cabinet.tray?.inner = Tray()
    cabinet.trays.append(contentsOf: [Tray(), Tray(), Tray()])
    cabinet.trays[0].inners.append(contentsOf: [Tray(), Tray(), Tray()])
    cabinet.byName["k"] = Tray()
    (cabinet.byName["k"] ?? nil)?.innersByName["k"] = Tray()
    let tray = try XCTUnwrap(removal.find(cabinet))
    tray.title = "x"
    body(tray)
    try store.write { try store.add(cabinet) }
    return (store, cabinet)
  }

  func testEachWayToDeleteAnEmbeddedObjectCascades() throws {
    for removal in removals {
      let (store, cabinet) = try fill(removal) { tray in
        let full = self.tray("a")
        tray.owned = full.owned
        tray.gems = full.gems
        tray.unique = full.unique
        tray.named = full.named
        tray.free = full.free
      }
      let tray = try XCTUnwrap(removal.find(cabinet))
      try store.write { try removal.remove(cabinet, store) }
      XCTAssertTrue(tray.isInvalidated, removal.name)
      XCTAssertEqual(store.objects(Gem.self).map(\.name), ["a free"], removal.name)
      XCTAssertNoThrow(try store.verify(), removal.name)
    }
  }

  func testEachWayToDeleteAnEmbeddedObjectIsDenied() throws {
    for removal in removals {
      let (store, cabinet) = try fill(removal) {
        $0.guarded = gem("held")
        $0.owned = gem("owned")
      }
      let tray = try XCTUnwrap(removal.find(cabinet))
      let version = store.version
      XCTAssertThrowsError(
        try store.write {
          var thrown: (any Error)?
          do { try removal.remove(cabinet, store) } catch { thrown = error }
          XCTAssertFalse(tray.isInvalidated, removal.name)
          XCTAssertEqual(removal.find(cabinet)?.guarded?.name, "held", removal.name)
          XCTAssertEqual(store.objects(Gem.self).count, 2, removal.name)
          if let thrown { throw thrown }
        }, removal.name
      ) {
        XCTAssertEqual($0 as? StoreError, .deleteDenied("Tray.guarded"), removal.name)
      }
      XCTAssertEqual(store.version, version, removal.name)
      try store.write {
        tray.guarded = nil
        try removal.remove(cabinet, store)
      }
      XCTAssertEqual(store.objects(Gem.self).map(\.name), ["held"], removal.name)
    }
  }

  func testWhatThrowsAndIsDeniedChangesNothingAndTheWriteGoesOn() throws {
    let store = try store()
    let cabinet = cabinet()
    cabinet.tray = Tray()
    cabinet.tray?.guarded = gem("held")
    try store.write {
      try store.add(cabinet)
      try store.add(self.cabinet("d"))
    }
    func update() -> Cabinet {
      let other = self.cabinet()
      other.title = "changed"
      other.best = gem("new")
      return other
    }
    let values: [String: Any] = [
      "name": "c", "title": "changed", "best": ["name": "new"], "tray": NSNull(),
    ]
    try store.write {
      XCTAssertThrowsError(try store.add(update(), update: .modified))
      XCTAssertThrowsError(try store.create(Cabinet.self, value: values, update: .modified))
      XCTAssertThrowsError(
        try store.objects(Cabinet.self).setValue(["title": "changed"], forKey: "tray"))
      XCTAssertEqual(store.objects(Gem.self).map(\.name), ["held"])
      XCTAssertEqual(store.objects(Cabinet.self).map(\.title), ["", ""])
      XCTAssertNil(store.objects(Cabinet.self)[1].tray)
      cabinet.title = "after"
    }
    XCTAssertEqual(cabinet.title, "after")
    XCTAssertEqual(cabinet.tray?.guarded?.name, "held")
    try store.verify()
  }

  func testEmbeddedObjectsThatMoveOrChangeAreNotDeleted() throws {
    let store = try store()
    let cabinet = cabinet()
    cabinet.trays.append(contentsOf: ["a", "b", "c", "d"].map(tray))
    for tray in cabinet.trays { tray.guarded = gem("\(tray.title) held") }
    cabinet.trays[0].inners.append(contentsOf: [tray("e"), tray("f")])
    cabinet.tray = tray("g")
    try store.write { try store.add(cabinet) }
    let count = store.objects(Gem.self).count
    try store.write {
      cabinet.trays.move(from: 0, to: 2)
      cabinet.trays.swapAt(0, 3)
      cabinet.trays.move(fromOffsets: [0, 1], toOffset: 4)
      for tray in cabinet.trays where !tray.inners.isEmpty { tray.inners.swapAt(0, 1) }
      cabinet.trays = cabinet.trays
      cabinet.tray = cabinet.tray
      cabinet.tray?.title = "other"
      cabinet.tray?.owned = nil
      cabinet.tray?.gems.removeAll()
      cabinet.trays[0].guarded = nil
      cabinet.trays.insert(Tray(), at: 1)
      cabinet.byName["k"] = Tray()
    }
    XCTAssertEqual(store.objects(Gem.self).count, count)
    try store.verify()
  }

  func testTargetsOfTheNewEmbeddedObjectStay() throws {
    let store = try store()
    let cabinet = cabinet()
    cabinet.tray = tray("a")
    cabinet.tray?.guarded = gem("held")
    cabinet.trays.append(contentsOf: [tray("b"), tray("c")])
    try store.write { try store.add(cabinet) }
    let gems = store.objects(Gem.self)
    let count = gems.count
    try store.write {
      let copy = Tray()
      copy.free = cabinet.tray?.owned
      copy.gems.append(contentsOf: gems.where { $0.name.starts(with: "a ") })
      copy.guarded = cabinet.tray?.guarded
      cabinet.tray = copy
      // Copies, as lists do it that have been sorted elsewhere.
      cabinet.trays.replaceSubrange(0..<2, with: [cabinet.trays[1], cabinet.trays[0]])
      let other = List<Tray>()
      other.append(contentsOf: cabinet.trays.reversed())
      cabinet.trays = other
    }
    XCTAssertEqual(gems.count, count)
    XCTAssertEqual(cabinet.trays.map { $0.owned?.name }, ["b owned", "c owned"])
    try store.write {
      let moved = self.cabinet()
      moved.trays.append(contentsOf: [copy(cabinet.trays[1]), copy(cabinet.tray ?? Tray())])
      try store.add(moved, update: .modified)
    }
    XCTAssertNil(cabinet.tray)
    XCTAssertNotNil(gems.first { $0.name == "held" })
    XCTAssertNotNil(gems.first { $0.name == "c owned" })
    try store.verify()
  }

  private func copy(_ tray: Tray) -> Tray {
    let copy = Tray()
    copy.owned = tray.owned
    copy.gems.append(contentsOf: tray.gems)
    copy.guarded = tray.guarded
    return copy
  }

  func testTargetsThatOthersShareGoAndThoseLetGo() throws {
    let store = try store()
    let cabinet = cabinet()
    let shared = gem("shared")
    cabinet.tray = Tray()
    cabinet.tray?.owned = shared
    cabinet.tray?.inner = Tray()
    cabinet.tray?.inner?.owned = shared
    cabinet.trays.append(contentsOf: [Tray(), Tray()])
    for tray in cabinet.trays { tray.gems.append(contentsOf: [shared, shared]) }
    cabinet.byName["k"] = Tray()
    (cabinet.byName["k"] ?? nil)?.named["k"] = shared
    cabinet.best = shared
    cabinet.others.append(contentsOf: [shared, shared])
    try store.write { try store.add(cabinet) }
    try store.write { cabinet.trays.remove(at: 0) }
    XCTAssertEqual(store.objects(Gem.self).count, 0)
    XCTAssertNil(cabinet.best)
    XCTAssertNil(cabinet.tray?.owned)
    XCTAssertNil(cabinet.tray?.inner?.owned)
    XCTAssertEqual(cabinet.trays.map(\.gems.count), [0])
    XCTAssertEqual((cabinet.byName["k"] ?? nil)?.named.keys, ["k"])
    XCTAssertEqual(cabinet.others.count, 0)
    try store.verify()
  }

  func testTargetsThatWhatStaysLedToBeforeGoToo() throws {
    let store = try store()
    let cabinet = cabinet()
    let shared = gem("shared")
    cabinet.tray = Tray()
    cabinet.tray?.free = shared
    cabinet.tray?.inners.append(contentsOf: [Tray(), Tray(), Tray()])
    cabinet.trays.append(Tray())
    cabinet.trays[0].owned = shared
    for tray in cabinet.tray?.inners ?? [] { tray.owned = shared }
    try store.write { try store.add(cabinet) }
    try store.write {
      // One that leads there from now on keeps it, one that did before does not.
      cabinet.tray?.inners.replaceSubrange(0..<1, with: [copy(cabinet.trays[0])])
      XCTAssertEqual(store.objects(Gem.self).count, 1)
      cabinet.tray?.inners.removeLast()
    }
    XCTAssertEqual(store.objects(Gem.self).count, 0)
    XCTAssertEqual(cabinet.tray?.inners.map { $0.owned == nil }, [true, true])
    XCTAssertNil(cabinet.tray?.free)
    try store.write {
      cabinet.tray?.owned = gem("b")
      cabinet.trays[0].owned = cabinet.tray?.owned
      let other = self.cabinet()
      other.trays.append(contentsOf: [copy(cabinet.trays[0]), Tray()])
      try store.add(other, update: .modified)
    }
    XCTAssertEqual(store.objects(Gem.self).count, 0)
    XCTAssertEqual(cabinet.trays.map { $0.owned == nil }, [true, true])
    try store.verify()
  }

  func testCascadesThatReachTheOwnerTakeItAlong() throws {
    let store = try store()
    let (first, second) = (cabinet(), cabinet("d"))
    first.tray = tray("a")
    first.tray?.cabinet = second
    second.trays.append(tray("b"))
    second.trays[0].inners.append(Tray())
    second.trays[0].inners[0].cabinet = first
    try store.write { try store.add(first) }
    try store.write { second.trays[0].inners.remove(at: 0) }
    XCTAssertEqual(store.objects(Cabinet.self).count, 0)
    XCTAssertEqual(store.objects(Gem.self).map(\.name).sorted(), ["a free", "b free"])
    try store.verify()
  }

  func testADeletionThatReachesAProtectedOwnerIsDenied() throws {
    let store = try store()
    let (first, second) = (cabinet(), cabinet("d"))
    first.tray = Tray()
    first.tray?.cabinet = second
    second.tray = Tray()
    second.tray?.guarded = gem("held")
    try store.write { try store.add(first) }
    XCTAssertThrowsError(try store.write { first.tray = nil }) {
      guard case StoreError.deleteDenied? = $0 as? StoreError else { return XCTFail("\($0)") }
    }
    XCTAssertNotNil(first.tray)
    try store.write {
      first.tray?.owned = second.tray?.guarded
      // What goes along is not in the way.
      first.tray = nil
    }
    XCTAssertEqual(store.objects(Cabinet.self).map(\.name), ["c"])
    XCTAssertEqual(store.objects(Gem.self).count, 0)
  }

  func testWhatAnUpdateLeadsToAndDeletesIsGoneEverywhere() throws {
    let store = try store()
    let cabinet = cabinet()
    cabinet.tray = Tray()
    cabinet.tray?.owned = gem("a")
    try store.write { try store.add(cabinet) }
    try store.write {
      let other = self.cabinet()
      other.best = gem("a")
      other.others.append(contentsOf: [gem("a"), gem("b")])
      try store.add(other, update: .modified)
    }
    XCTAssertNil(cabinet.best)
    XCTAssertEqual(cabinet.others.map(\.name), ["b"])
    try store.write {
      cabinet.tray = Tray()
      cabinet.tray?.owned = gem("c")
      try store.create(
        Cabinet.self,
        value: ["name": "c", "tray": NSNull(), "best": ["name": "c"]] as [String: Any],
        update: .modified)
    }
    XCTAssertNil(cabinet.best)
    XCTAssertEqual(store.objects(Gem.self).map(\.name), ["b"])
    try store.verify()
  }

  func testAnUpdateThatChangesAnEmbeddedObjectDeletesNothing() throws {
    let store = try store()
    let cabinet = cabinet()
    cabinet.tray = tray("a")
    cabinet.trays.append(tray("b"))
    try store.write { try store.add(cabinet) }
    let live = (try XCTUnwrap(cabinet.tray), cabinet.trays[0])
    let count = store.objects(Gem.self).count
    try store.write {
      let other = self.cabinet()
      other.tray = Tray()
      other.trays.append(contentsOf: [Tray(), Tray()])
      try store.add(other, update: .modified)
    }
    XCTAssertFalse(live.0.isInvalidated || live.1.isInvalidated)
    XCTAssertNil(live.0.owned)
    XCTAssertEqual(store.objects(Gem.self).count, count)
    try store.verify()
  }

  func testLongListsOfEmbeddedObjects() throws {
    let store = try store()
    let cabinet = cabinet()
    for number in 0..<400 {
      let tray = Tray()
      tray.owned = gem("\(number)")
      cabinet.trays.append(tray)
      cabinet.byName["\(number)"] = Tray()
      (cabinet.byName["\(number)"] ?? nil)?.owned = gem("map \(number)")
    }
    try store.write { try store.add(cabinet) }
    try store.write {
      cabinet.trays.remove(atOffsets: IndexSet(integersIn: 10..<390))
      for number in 10..<400 { cabinet.byName["\(number)"] = nil }
    }
    let names = (0..<10).map { "\($0)" } + (390..<400).map { "\($0)" }
    XCTAssertEqual(
      Set(store.objects(Gem.self).map(\.name)), Set(names + (0..<10).map { "map \($0)" }))
    XCTAssertEqual(cabinet.trays.map { $0.owned?.name }, names)
    try store.verify()
  }
}
