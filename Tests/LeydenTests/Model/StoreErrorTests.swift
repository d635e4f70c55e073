import Foundation
import XCTest

@testable import Leyden

final class StoreErrorTests: XCTestCase {
  private static let errors: [(StoreError, names: [String])] = {
    let url = URL(fileURLWithPath: "/data/Notes.leyden")
    let difference = SchemaDifference(
      typeName: "Note", propertyName: "title", difference: "is Int in the store")
    return [
      (.fileNotFound(url), ["/data/Notes.leyden"]),
      (.notAStore(url, found: "a letter"), ["/data/Notes.leyden", "a letter"]),
      (.newerFormat(url, found: 9), ["/data/Notes.leyden", "9"]),
      (.schemaMismatch([difference, difference]), ["Note.title", "is Int in the store"]),
      (.schemaVersionTooOld(stored: 7, asked: 5), ["7", "5"]),
      (.alreadyOpenDifferently(url), ["/data/Notes.leyden"]),
      (.alreadyOpen(url), ["/data/Notes.leyden"]), (.permissionDenied(url), ["/data/Notes.leyden"]),
      (.diskFull(url), ["/data/Notes.leyden"]), (.mapFull, []), (.tooManyReaders, []),
      (.corrupted("page 7"), ["page 7"]), (.notInWriteTransaction, []), (.nestedWrite, []),
      (.duplicatePrimaryKey(type: "Note", key: "\"n1\""), ["Note", "\"n1\""]),
      (.uniqueViolation("Note.title"), ["Note.title"]),
      (.invalidatedObject("Note.title"), ["Note.title"]), (.wrongStore, []), (.readOnly, []),
      (.invalidQuery("no titel", position: 3), ["no titel", "3"]),
      (.invalidValue("Note.title is Int"), ["Note.title is Int"]),
      (.valueTooLarge(bytes: 12_345), ["12345"]), (.storeReplaced(url), ["/data/Notes.leyden"]),
      (.usedAfterFork, []), (.unsupported("encryption"), ["encryption"]), (.noObjectTypes, []),
      (.closed, []), (.failed(operation: "flush", reason: "I/O error"), ["flush", "I/O error"]),
    ]
  }()

  func testEachSaysWhatHappenedToWhatAndWhatToDo() {
    for (error, names) in Self.errors {
      let text = error.errorDescription ?? ""
      XCTAssertTrue(text.hasSuffix("."), text)
      for name in names { XCTAssertTrue(text.contains(name), "\(name) in \(text)") }
      XCTAssertEqual(error.localizedDescription, text)
      XCTAssertEqual((error as any Error).localizedDescription, text)
      switch error {
      case .unsupported, .failed: XCTAssertNil(error.recoverySuggestion)
      default:
        let advice = error.recoverySuggestion ?? ""
        XCTAssertTrue(advice.hasSuffix("."), "\(error)")
        XCTAssertTrue(error.description.contains(advice))
      }
      XCTAssertTrue(error.description.hasPrefix(text))
    }
    XCTAssertEqual(Set(Self.errors.map(\.0)).count, Self.errors.count)
    XCTAssertEqual(Set(Self.errors.map { $0.0.errorDescription }).count, Self.errors.count)
  }
}
