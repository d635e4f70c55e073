import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// A model that the compiler makes encodable.
private final class Letter: Object, Codable {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var text: String = "none"
  @Persisted var written: Date
  @Persisted var stamp: Data
  @Persisted var pages: Int?
  @Persisted var weight: Double
}

/// A model whose subclass is encoded by hand.
private class Parcel: Object {
  @Persisted var depth = 1
}

private final class Crate: Parcel, Encodable {
  @Persisted var height = 2

  private enum Key: CodingKey { case depth, height }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(depth, forKey: .depth)
    try container.encode(height, forKey: .height)
  }
}

final class PersistedCodableTests: XCTestCase {
  private let text = #"""
    {"identifier":"a","stamp":"AQI=","text":"Hello","weight":1.5,"written":"2024-02-29T12:00:00Z"}
    """#

  private func encode(_ letter: Letter) throws -> String {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(letter), as: UTF8.self)
  }

  private func decode(_ text: String) throws -> Letter {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Letter.self, from: Data(text.utf8))
  }

  func testAnObjectIsDecodedAndEncodedAsItsValuesAreWithoutTheWrapper() throws {
    let letter = try decode(text)

    XCTAssertEqual(letter.text, "Hello")
    XCTAssertEqual(letter.stamp, Data([1, 2]))
    XCTAssertEqual(letter.written, Date(timeIntervalSince1970: 1_709_208_000))
    XCTAssertNil(letter.pages)
    XCTAssertEqual(try encode(letter), text)
  }

  func testAMissingKeyOrNullIsNilForAnOptionalPropertyOnly() throws {
    XCTAssertNil(try decode(text.replacing("\"text\"", with: "\"pages\":null,\"text\"")).pages)
    XCTAssertEqual(try decode(text.replacing("\"text\"", with: "\"pages\":3,\"text\"")).pages, 3)
    XCTAssertThrowsError(try decode(text.replacing("\"text\"", with: "\"txet\""))) { error in
      guard case DecodingError.keyNotFound(let key, _) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(key.stringValue, "text")
    }
    XCTAssertThrowsError(try decode(text.replacing("\"Hello\"", with: "null")))
  }

  func testADecodedObjectCanBeAddedAndEncodedWhileItIsManaged() throws {
    // given
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Letter.self])
    let letter = try decode(text)

    // when
    try store.write {
      try store.add(letter)
      letter.pages = 2
    }

    // then
    XCTAssertEqual(
      try encode(letter), text.replacing("\"stamp\"", with: "\"pages\":2,\"stamp\""))
    let stored = try XCTUnwrap(store.object(ofType: Letter.self, forPrimaryKey: "a"))
    XCTAssertEqual(try encode(stored), try encode(letter))
  }

  func testASubclassMayEncodeWhatItInherits() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    XCTAssertEqual(
      String(decoding: try encoder.encode(Crate()), as: UTF8.self), #"{"depth":1,"height":2}"#)
  }

  func testSeveralObjectsAreDecodedAtOnce() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let letters = try decoder.decode([Letter].self, from: Data("[\(text),\(text)]".utf8))
    XCTAssertEqual(letters.map(\.text), ["Hello", "Hello"])
    XCTAssertNotEqual(letters[0], letters[1])
  }
}
