import Foundation
import Leyden
import LeydenTesting
import XCTest

final class ObjectIdTests: XCTestCase {
  func testIdentifiersAreUniqueAndInTheOrderOfTheirSeconds() {
    let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

    let identifiers = (0..<10_000).map { _ in ObjectId.generate() }

    XCTAssertEqual(Set(identifiers).count, identifiers.count)
    for identifier in identifiers {
      XCTAssertGreaterThanOrEqual(identifier.timestamp, start)
      XCTAssertLessThanOrEqual(identifier.timestamp, Date())
    }
    XCTAssertLessThanOrEqual(identifiers[0].timestamp, identifiers[9_999].timestamp)
  }

  func testThreadsMakeNoIdentifierTwice() async {
    let identifiers = await withTaskGroup(of: [ObjectId].self) { group in
      for _ in 0..<8 { group.addTask { (0..<1_000).map { _ in ObjectId.generate() } } }
      return await group.reduce(into: []) { $0 += $1 }
    }

    XCTAssertEqual(Set(identifiers).count, 8_000)
  }

  func testTheBytesAreTimeProcessAndCounter() {
    var generator = ObjectIdGenerator()
    let time = Date(timeIntervalSince1970: 0x5432_10ff)

    let first = generator.next(at: time)
    let second = generator.next(at: time)

    XCTAssertEqual(first.stringValue.prefix(8), "543210ff")
    XCTAssertEqual(first.stringValue.prefix(18), second.stringValue.prefix(18))
    let counters = [first, second].map { UInt32($0.stringValue.suffix(6), radix: 16) ?? 0 }
    XCTAssertEqual((counters[0] + 1) & 0xff_ffff, counters[1])
    XCTAssertEqual(first.timestamp, time)
  }

  func testTheCounterGoesRoundWithoutTouchingTheProcess() {
    var generator = ObjectIdGenerator(counter: 0xff_fffe)
    let time = Date(timeIntervalSince1970: 1)

    let identifiers = (0..<3).map { _ in generator.next(at: time) }

    XCTAssertEqual(identifiers.map { $0.stringValue.suffix(6) }, ["ffffff", "000000", "000001"])
    XCTAssertEqual(Set(identifiers.map { $0.stringValue.prefix(18) }).count, 1)
  }

  func testAChildByForkHasAProcessNumberOfItsOwn() {
    var parent = ObjectIdGenerator(counter: 5, generation: 0)
    var child = parent
    let time = Date(timeIntervalSince1970: 1)

    let identifiers = [parent.next(at: time, generation: 0), child.next(at: time, generation: 1)]

    XCTAssertNotEqual(identifiers[0].stringValue.prefix(18), identifiers[1].stringValue.prefix(18))
    XCTAssertEqual(
      child.next(at: time, generation: 1).stringValue.prefix(18),
      identifiers[1].stringValue.prefix(18))
  }

  func testTextAndBack() throws {
    let text = "507f1f77bcf86cd799439011"

    let identifier = try ObjectId(string: text)

    XCTAssertEqual(identifier.description, text)
    XCTAssertEqual(identifier.stringValue, text)
    XCTAssertEqual(try ObjectId(string: text.uppercased()), identifier)
    XCTAssertEqual(identifier.timestamp, Date(timeIntervalSince1970: 0x507f_1f77))
    XCTAssertEqual(ObjectId().description, "000000000000000000000000")
    XCTAssertEqual(ObjectId(), ObjectId.emptyValue)
  }

  func testWhatIsNoIdentifierIsRefused() {
    for text in [
      "", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g",
      "+07f1f77bcf86cd799439011", "507f1f77bcf86cd7+9439011", "٠07f1f77bcf86cd79943901",
    ] {
      XCTAssertThrowsError(try ObjectId(string: text), text) { error in
        XCTAssertEqual(
          error as? StoreError,
          .invalidValue("\"\(text)\" is not 24 hexadecimal digits, as an ObjectId is"))
      }
    }
  }

  func testCodingIsTheText() throws {
    let identifiers = [ObjectId(), ObjectId.generate()]

    let encoded = try JSONEncoder().encode(identifiers)

    XCTAssertEqual(
      String(decoding: encoded, as: UTF8.self),
      "[\"\(identifiers[0])\",\"\(identifiers[1])\"]")
    XCTAssertEqual(try JSONDecoder().decode([ObjectId].self, from: encoded), identifiers)
    XCTAssertThrowsError(try JSONDecoder().decode([ObjectId].self, from: Data(#"["x"]"#.utf8))) {
      XCTAssertTrue($0 is DecodingError, "\($0)")
    }
  }

  func testAnIdentifierAsPrimaryKey() throws {
    final class Visit: Object {
      @Persisted(primaryKey: true) var identifier = ObjectId.generate()
      @Persisted var place = ""
    }
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Visit.self])
    let visits = (0..<20).map { _ in Visit() }

    try store.write { try store.add(visits) }

    for visit in visits {
      let found = store.object(ofType: Visit.self, forPrimaryKey: visit.identifier)
      XCTAssertEqual(found, visit)
    }
    XCTAssertNil(store.object(ofType: Visit.self, forPrimaryKey: ObjectId()))
    XCTAssertNil(store.object(ofType: Visit.self, forPrimaryKey: "507f1f77bcf86cd799439011"))
    let twin = Visit()
    twin.identifier = visits[0].identifier
    XCTAssertThrowsError(try store.write { try store.add(twin) }) { error in
      XCTAssertEqual(
        error as? StoreError,
        .duplicatePrimaryKey(type: "Visit", key: visits[0].identifier.description))
    }
  }
}
