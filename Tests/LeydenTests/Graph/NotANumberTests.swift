import Foundation
import Leyden
import LeydenTesting
import XCTest

/// A not-a-number is the same as itself, wherever it lies: it is no change.
final class NotANumberTests: StoreTestCase {
  final class Meter: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var reading: Reading?
    @Persisted var readings: List<Reading>
    @Persisted var byName: Map<String, Reading?>
    @Persisted var decimal: Decimal
    @Persisted var value: AnyValue
    @Persisted var doubles: MutableSet<Double>
    @Persisted var floats: MutableSet<Float>
    @Persisted var decimals: MutableSet<Decimal>
    @Persisted var dates: MutableSet<Date>
    @Persisted var values: MutableSet<AnyValue>
  }

  final class Reading: EmbeddedObject {
    @Persisted var double: Double
    @Persisted var decimal: Decimal
    @Persisted var value: AnyValue
    @Persisted var count: Int
  }

  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Meter.self])
  }

  private func makeReading() -> Reading {
    let reading = Reading()
    reading.double = .nan
    reading.decimal = .nan
    reading.value = .double(.nan)
    return reading
  }

  private func makeMeter() -> Meter {
    let meter = Meter()
    meter.reading = makeReading()
    meter.readings.append(contentsOf: [makeReading(), makeReading()])
    meter.byName["a"] = makeReading()
    meter.byName["b"] = makeReading()
    meter.decimal = .nan
    meter.value = .decimal(.nan)
    return meter
  }

  func testObserversOfOneHearOfNoChange() throws {
    let store = try store()
    let meter = try store.write { try store.add(makeMeter()) }
    var told: [String] = []
    var tokens: [NotificationToken] = []
    for name in ["double", "decimal", "value"] {
      tokens += [
        meter.readings.observe(keyPaths: [name]) { change in
          if case .update = change { told.append("list \(name)") }
        },
        meter.byName.observe(keyPaths: [name]) { change in
          if case .update = change { told.append("map \(name)") }
        },
        meter.observe(keyPaths: ["reading." + name, "decimal", "value"]) { change in
          if case .change = change { told.append("object \(name)") }
        },
        store.objects(Meter.self).observe(keyPaths: ["readings." + name]) { change in
          if case .update = change { told.append("results \(name)") }
        },
      ]
    }
    try store.write {
      meter.readings[1].count = 1
      (meter.byName["b"] ?? nil)?.count = 1
      meter.reading?.count = 1
    }
    let other = try anotherStore()
    for count in 2...3 {
      try other.write { other.objects(Meter.self).first?.readings[1].count = count }
    }
    store.refresh()
    try store.write {
      meter.decimal = .nan
      meter.value = .decimal(.nan)
      meter.readings[1].double = .nan
      meter.reading?.count = 4
    }
    XCTAssertEqual(told, [])
    try store.write { meter.readings[1].double = 0 }
    XCTAssertEqual(told, ["list double", "results double"])
    told = []
    try store.write { meter.readings[1].double = .nan }
    XCTAssertEqual(told, ["list double", "results double"])
    for token in tokens { token.invalidate() }
  }

  func testSetsHoldOneAndGivingItAgainIsNoChange() throws {
    let store = try store()
    let meter = try store.write { try store.add(makeMeter()) }
    func fill() {
      meter.doubles.insert(contentsOf: [.nan, -.nan, 0, -0.0, .infinity])
      meter.floats.insert(contentsOf: [.nan, -.nan, 0, -0.0, .infinity])
      meter.decimals.insert(contentsOf: [.nan, .nan, 0, Decimal(-1) * 0, .greatestFiniteMagnitude])
      meter.dates.insert(
        contentsOf: [Double.nan, -.nan, 0, -0.0, .infinity].map {
          Date(timeIntervalSinceReferenceDate: $0)
        })
      meter.values.insert(
        contentsOf: [
          .float(.nan), .double(.nan), .decimal(.nan), .double(-0.0), .int(0), .float(1),
        ]
      )
    }
    func counts() -> [Int] {
      [
        meter.doubles.count, meter.floats.count, meter.decimals.count, meter.dates.count,
        meter.values.count,
      ]
    }
    // Short ones are packed, long ones are not.
    for number in [0, 40] {
      try store.write {
        for number in 0..<number {
          meter.doubles.insert(Double(number) + 0.5)
          meter.floats.insert(Float(number) + 0.5)
          meter.decimals.insert(Decimal(number) + Decimal(0.5))
          meter.dates.insert(Date(timeIntervalSinceReferenceDate: Double(number) + 0.5))
          meter.values.insert(.decimal(Decimal(number) + Decimal(0.5)))
        }
        fill()
      }
      XCTAssertEqual(counts(), [3, 3, 3, 3, 3].map { $0 + number })
      let version = store.version
      try store.write {
        fill()
        meter.doubles = meter.doubles
        meter.decimals = meter.decimals
        meter.dates = meter.dates
        meter.values = meter.values
        try store.add(meter.detached(), update: .modified)
        try store.create(Meter.self, value: meter, update: .modified)
      }
      XCTAssertEqual(store.version, version)
      try store.verify()
    }
    try store.write {
      meter.doubles.remove(.nan)
      meter.floats.remove(-.nan)
      meter.decimals.remove(.nan)
      meter.dates.remove(Date(timeIntervalSinceReferenceDate: -.nan))
      meter.values.remove(.float(.nan))
    }
    XCTAssertEqual(counts(), [42, 42, 42, 42, 42])
    try store.verify()
  }
}
