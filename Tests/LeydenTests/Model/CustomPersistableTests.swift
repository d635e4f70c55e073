import Foundation
import Leyden
import LeydenTesting
import XCTest

private struct Temperature: CustomPersistable, Equatable, Comparable {
  var celsius: Double
  init(celsius: Double) { self.celsius = celsius }
  init(persistedValue: Double) { self.init(celsius: persistedValue) }
  var persistableValue: Double { celsius }
  static func < (left: Temperature, right: Temperature) -> Bool { left.celsius < right.celsius }
}

private enum Unit: String, PersistableEnum { case gram, metre }

/// Stored as an enumeration, which is stored as a text.
private struct Measure: CustomPersistable, Equatable {
  var unit: Unit
  init(persistedValue: Unit) { unit = persistedValue }
  var persistableValue: Unit { unit }
}

/// An address that has an at sign.
private struct Address: FailableCustomPersistable, Equatable {
  let text: String
  init?(persistedValue: String) {
    guard persistedValue.contains("@") else { return nil }
    text = persistedValue
  }
  var persistableValue: String { text }
}

private struct Port: FailableCustomPersistable, Hashable {
  let number: UInt16
  init?(persistedValue: UInt16) {
    guard persistedValue > 0 else { return nil }
    number = persistedValue
  }
  var persistableValue: UInt16 { number }
  static var emptyValue: Port { Port(persistedValue: 80) ?? Port.emptyValue }
}

private final class Probe: Object {
  @Persisted var name: String
  @Persisted(indexed: true) var temperature: Temperature
  @Persisted var lowest: Temperature?
  @Persisted var measure = Measure(persistedValue: .metre)
  @Persisted var owner: Address?
  @Persisted var port: Port

  convenience init(_ name: String, _ celsius: Double, owner: String? = nil) {
    self.init()
    self.name = name
    temperature = Temperature(celsius: celsius)
    self.owner = owner.flatMap(Address.init(persistedValue:))
  }
}

private final class RawProbe: Object {
  override class var storedName: String { "Probe" }
  @Persisted var name: String
  @Persisted(indexed: true) var temperature: Double
  @Persisted var lowest: Double?
  @Persisted var measure = "metre"
  @Persisted var owner: String?
  @Persisted var port: UInt16 = 80
}

final class CustomPersistableTests: XCTestCase {
  private func probes(in directory: TemporaryDirectory) throws -> Store {
    let store = try directory.store(objectTypes: [Probe.self])
    try store.write {
      try store.add(Probe("a", -3, owner: "joan@example.org"))
      try store.add(Probe("b", 20))
      try store.add(Probe("c", 7, owner: "tom@example.org"))
    }
    return store
  }

  func testValuesAreKept() throws {
    let directory = try TemporaryDirectory()
    try probes(in: directory).close()

    let probes = try directory.store(objectTypes: [Probe.self]).objects(Probe.self)

    XCTAssertEqual(probes.map(\.temperature.celsius), [-3, 20, 7])
    XCTAssertEqual(probes.map(\.owner?.text), ["joan@example.org", nil, "tom@example.org"])
    XCTAssertEqual(probes.map(\.measure.unit), [.metre, .metre, .metre])
    XCTAssertEqual(probes.map(\.port.number), [80, 80, 80])
    XCTAssertEqual(probes.map(\.lowest), [nil, nil, nil])
  }

  func testTheEmptyValueIsWhatTheTypeMakesOfAnEmptyOneOrDeclares() {
    let probe = Probe()

    XCTAssertEqual(probe.temperature, Temperature(celsius: 0))
    XCTAssertEqual(probe.port.number, 80)
    XCTAssertNil(probe.owner)
    XCTAssertEqual(Measure.emptyValue.unit, .gram)
  }

  func testAStoredValueThatMakesNoneReadsAsEmptyAndStays() throws {
    let directory = try TemporaryDirectory()
    let store = try probes(in: directory)
    let raw = try directory.store(objectTypes: [RawProbe.self])
    let rawProbe = try XCTUnwrap(raw.objects(RawProbe.self).first)
    try raw.write {
      rawProbe.owner = "nobody"
      rawProbe.port = 0
      rawProbe.measure = "ell"
    }
    let probe = try XCTUnwrap(store.objects(Probe.self).first)

    XCTAssertNil(probe.owner)
    XCTAssertEqual(probe.port, .emptyValue)
    XCTAssertEqual(probe.measure.unit, .gram)
    try store.write { probe.name = "z" }
    XCTAssertEqual(rawProbe.owner, "nobody")
    XCTAssertEqual(rawProbe.port, 0)
    XCTAssertEqual(rawProbe.measure, "ell")
    XCTAssertEqual(store.objects(Probe.self).where { $0.owner == nil }.map(\.name), ["b"])
  }

  func testQueriesAndSortingGoByTheStoredForm() throws {
    let store = try probes(in: try TemporaryDirectory())
    func names(_ isIncluded: (Query<Probe>) -> Query<Bool>) -> [String] {
      store.objects(Probe.self).where(isIncluded).map(\.name)
    }
    let freezing = Temperature(celsius: 0)

    XCTAssertEqual(names { $0.temperature > freezing }, ["b", "c"])
    XCTAssertEqual(names { $0.temperature == Temperature(celsius: 20) }, ["b"])
    XCTAssertEqual(names { $0.temperature.contains(freezing...Temperature(celsius: 10)) }, ["c"])
    XCTAssertEqual(names { $0.temperature.persistableValue < 0 }, ["a"])
    XCTAssertEqual(names { $0.owner == nil }, ["b"])
    XCTAssertEqual(names { $0.owner == Address(persistedValue: "tom@example.org") }, ["c"])
    XCTAssertEqual(names { $0.owner.persistableValue.starts(with: "joan") }, ["a"])
    XCTAssertEqual(names { $0.measure.persistableValue.rawValue == "metre" }, ["a", "b", "c"])
    XCTAssertEqual(names { $0.lowest < freezing }, [])
    XCTAssertEqual(
      store.objects(Probe.self).sorted(by: \.temperature).map(\.name), ["a", "c", "b"])
    XCTAssertEqual(store.objects(Probe.self).sorted(by: \.owner).map(\.name), ["b", "a", "c"])
  }

  func testAnObserverIsToldValuesAsThePropertyHasThem() throws {
    let directory = try TemporaryDirectory()
    let store = try probes(in: directory)
    let raw = try directory.store(objectTypes: [RawProbe.self])
    let probe = try XCTUnwrap(store.objects(Probe.self).first)
    var changes: [PropertyChange] = []
    let token = probe.observe { if case .change(_, let properties) = $0 { changes += properties } }

    try store.write { probe.temperature = Temperature(celsius: 5) }
    try raw.write {
      raw.objects(RawProbe.self).first?.owner = "nobody"
      raw.objects(RawProbe.self).first?.port = 0
    }
    store.refresh()

    XCTAssertEqual(changes.map(\.name), ["temperature", "owner", "port"])
    XCTAssertEqual(
      changes.map { $0.oldValue as? Temperature }, [Temperature(celsius: -3), nil, nil])
    XCTAssertEqual((changes[1].oldValue as? Address)?.text, "joan@example.org")
    XCTAssertNil(changes[1].newValue)
    XCTAssertEqual(changes[2].newValue as? Port, Port.emptyValue)
    token.invalidate()
  }

  func testSettingAnEqualStoredFormIsNoChange() throws {
    let store = try probes(in: try TemporaryDirectory())
    let probe = try XCTUnwrap(store.objects(Probe.self).first)
    let version = store.version

    try store.write {
      probe.temperature = Temperature(celsius: -3)
      probe.owner = Address(persistedValue: "joan@example.org")
    }

    XCTAssertEqual(store.version, version)
  }
}
