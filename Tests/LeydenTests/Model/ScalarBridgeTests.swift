import Foundation
import Leyden
import LeydenTesting
import XCTest

private enum Phase: Int, PersistableEnum, Codable { case new, full, old = -1 }

private struct Angle: CustomPersistable, Hashable, Codable {
  var degrees: Float
  init(persistedValue: Float) { degrees = persistedValue }
  var persistableValue: Float { degrees }
}

/// One value of every scalar type and of every optional.
private struct Moon: Sendable, Hashable {
  var name: String
  var craters: Int
  var tiny: Int8?
  var short: Int16
  var medium: Int32?
  var long: Int64
  var byte: UInt8
  var word: UInt16?
  var double: UInt32
  var albedo: Float
  var mass: Double?
  var isInhabited: Bool?
  var photograph: Data
  var discovered: Date
  var code: UUID
  var price: Decimal
  var tag: ObjectId?
  var phase: Phase
  var tilt: Angle?

  init(_ random: inout SeededGenerator) {
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    let bits = random.next()
    name = String(String.UnicodeScalarView((0..<bits & 31).map { _ in scalar(&random) }))
    craters = .random(in: .min ... .max, using: &random)
    tiny = maybe(.random(in: .min ... .max, using: &random))
    short = .random(in: .min ... .max, using: &random)
    medium = maybe(.random(in: .min ... .max, using: &random))
    long = .random(in: .min ... .max, using: &random)
    byte = .random(in: .min ... .max, using: &random)
    word = maybe(.random(in: .min ... .max, using: &random))
    double = .random(in: .min ... .max, using: &random)
    albedo = Float(bitPattern: .random(in: 0...0x7f80_0000, using: &random))
    mass = maybe(Double(bitPattern: .random(in: 0...0x7ff0_0000_0000_0000, using: &random)))
    isInhabited = maybe(.random(using: &random))
    photograph = Data((0..<bits >> 5 & 4_095).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    discovered = Date(timeIntervalSinceReferenceDate: .random(in: -1e12...1e12, using: &random))
    code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(bits & 255)))
    price = Decimal(
      sign: .minus, exponent: .random(in: -60...60, using: &random),
      significand: Decimal(random.next()))
    tag = maybe(.generate())
    phase = Phase.allCases.randomElement(using: &random) ?? .new
    tilt = maybe(Angle(persistedValue: .random(in: -180...180, using: &random)))
  }
}

private func scalar(_ random: inout SeededGenerator) -> Unicode.Scalar {
  let width = UInt32.random(in: 1...21, using: &random)
  return Unicode.Scalar(UInt32.random(in: 0..<1 << width, using: &random)) ?? "?"
}

private final class StoredMoon: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var craters: Int
  @Persisted var tiny: Int8?
  @Persisted var short: Int16
  @Persisted var medium: Int32?
  @Persisted var long: Int64
  @Persisted var byte: UInt8
  @Persisted var word: UInt16?
  @Persisted var double: UInt32
  @Persisted var albedo: Float
  @Persisted var mass: Double?
  @Persisted var isInhabited: Bool?
  @Persisted var photograph: Data
  @Persisted var discovered: Date
  @Persisted var code: UUID
  @Persisted var price: Decimal
  @Persisted var tag: ObjectId?
  @Persisted var phase: Phase
  @Persisted var tilt: Angle?
}

extension StoredMoon: ValueConvertible {
  convenience init(value moon: Moon) {
    self.init()
    name = moon.name
    take(moon)
  }

  func take(_ moon: Moon) {
    craters = moon.craters
    tiny = moon.tiny
    short = moon.short
    medium = moon.medium
    long = moon.long
    byte = moon.byte
    word = moon.word
    double = moon.double
    albedo = moon.albedo
    mass = moon.mass
    isInhabited = moon.isInhabited
    photograph = moon.photograph
    discovered = moon.discovered
    code = moon.code
    price = moon.price
    tag = moon.tag
    phase = moon.phase
    tilt = moon.tilt
  }

  var value: Moon {
    var random = SeededGenerator(seed: 0)
    var moon = Moon(&random)
    moon.name = name
    moon.craters = craters
    moon.tiny = tiny
    moon.short = short
    moon.medium = medium
    moon.long = long
    moon.byte = byte
    moon.word = word
    moon.double = double
    moon.albedo = albedo
    moon.mass = mass
    moon.isInhabited = isInhabited
    moon.photograph = photograph
    moon.discovered = discovered
    moon.code = code
    moon.price = price
    moon.tag = tag
    moon.phase = phase
    moon.tilt = tilt
    return moon
  }
}

/// `StoredMoon(value: moon).value == moon`, whatever the values are.
final class ScalarBridgeTests: XCTestCase {
  func testRandomValuesComeBackUnmanagedAddedChangedAndReopened() throws {
    try forEachSeed(10) { seed in
      var random = SeededGenerator(seed: seed)
      let directory = try TemporaryDirectory()
      var moons: [String: Moon] = [:]
      do {
        let store = try directory.store(objectTypes: [StoredMoon.self])
        for _ in 0..<10 {
          let moon = Moon(&random)
          XCTAssertEqual(StoredMoon(value: moon).value, moon, "seed \(seed)")
          let stored = try store.write {
            try store.add(value: moon, as: StoredMoon.self, update: .modified)
          }
          XCTAssertEqual(stored.value, moon, "seed \(seed)")
          var other = Moon(&random)
          other.name = moon.name
          if Bool.random(using: &random) {
            try store.write { stored.take(other) }
          } else {
            try store.write {
              stored.take(other); stored.take(moon)
            }
            other = moon
          }
          XCTAssertEqual(stored.value, other, "seed \(seed)")
          moons[moon.name] = other
        }
        store.close()
      }
      let store = try directory.store(objectTypes: [StoredMoon.self])

      let values = store.values(of: StoredMoon.self)

      XCTAssertEqual(Set(values), Set(moons.values), "seed \(seed)")
    }
  }
}
