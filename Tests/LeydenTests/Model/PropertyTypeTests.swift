import Foundation
import Leyden
import LeydenTesting
import XCTest

final class PropertyTypeTests: XCTestCase {
  func testTheNumbersAreThoseOfTheFileFormat() {
    let numbers = PropertyType.allCases.map { "\($0.rawValue) \($0)" }

    XCTAssertEqual(
      numbers,
      [
        "1 bool", "2 int", "3 int8", "4 int16", "5 int32", "6 int64", "7 uint8", "8 uint16",
        "9 uint32", "10 float", "11 double", "12 string", "13 data", "14 date", "15 uuid",
        "16 decimal", "17 objectId", "18 anyValue", "32 link", "33 embedded", "34 linkingObjects",
        "48 list", "49 set", "50 map",
      ])
  }

  func testTheTypeOfAProperty() {
    XCTAssertEqual(UInt32?.propertyType, .uint32)
    XCTAssertEqual(Decimal.propertyType, .decimal)
    XCTAssertNil(Int??.propertyType)
    XCTAssertTrue(Float?.isOptional)
    XCTAssertFalse(Float.isOptional)
  }

  private enum Narrow {
    final class Reading: Object {
      @Persisted var count: Int32
      @Persisted var level: Float
    }
  }

  private enum Wide {
    final class Reading: Object {
      @Persisted var count: Int64
      @Persisted var level: Double
    }
  }

  func testAnotherWidthNeedsAMigration() throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Narrow.Reading.self])
    try store.write { try store.add(Narrow.Reading()) }

    XCTAssertThrowsError(try directory.store(objectTypes: [Wide.Reading.self])) { error in
      guard case .schemaMismatch(let differences)? = error as? StoreError else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(
        Set(differences.map(\.description)),
        [
          "Reading.count is int32 in the store and int64 in the model",
          "Reading.level is float in the store and double in the model",
        ])
    }
  }

  private enum Keys {
    final class Truth: Object { @Persisted(primaryKey: true) var key: Bool }
    final class Fraction: Object { @Persisted(primaryKey: true) var key: Double }
    final class Money: Object { @Persisted(primaryKey: true) var key: Decimal }
    final class Maybe: Object { @Persisted(primaryKey: true) var key: Int? }
    final class Small: Object { @Persisted(primaryKey: true) var key: UInt8 }
  }

  func testWhatMayBeAPrimaryKey() throws {
    for type in [Keys.Truth.self, Keys.Fraction.self, Keys.Money.self, Keys.Maybe.self]
      as [Object.Type]
    {
      XCTAssertThrowsError(try TemporaryDirectory().store(objectTypes: [type])) { error in
        XCTAssertEqual(
          error as? StoreError,
          .unsupported(
            "\(type).key: a primary key is a text, a whole number, a UUID or an ObjectId, "
              + "not optional"))
      }
    }
    let store = try TemporaryDirectory().store(objectTypes: [Keys.Small.self])
    let small = Keys.Small()
    small.key = 200
    try store.write { try store.add(small) }
    XCTAssertEqual(store.object(ofType: Keys.Small.self, forPrimaryKey: 200 as UInt8), small)
    XCTAssertEqual(store.object(ofType: Keys.Small.self, forPrimaryKey: 200), small)
    XCTAssertNil(store.object(ofType: Keys.Small.self, forPrimaryKey: 456))
    XCTAssertNil(store.object(ofType: Keys.Small.self, forPrimaryKey: "200"))
  }
}
