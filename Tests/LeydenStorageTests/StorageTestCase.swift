import Foundation
import LeydenStorage
import XCTest

/// A test with a directory of its own, and with bytes as strings.
class StorageTestCase: XCTestCase {
  /// A directory for this test alone, gone afterwards.
  private(set) var directory = ""
  /// A path in it at which nothing is yet.
  var path: String { directory + "/Test.leyden" }

  override func setUpWithError() throws {
    let name = "leyden-\(UUID().uuidString)"
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(atPath: directory)
  }

  /// Opens the store at `path` without waiting for the disk.
  func open(
    readOnly: Bool = false, mayCreate: Bool = true, mapSize: Int? = 64 << 20
  ) throws -> Environment {
    try Environment.open(
      at: path,
      options: Environment.Options(
        readOnly: readOnly, durability: .unsafe, mayCreate: mayCreate, mapSize: mapSize))
  }

  /// Runs `body` in a write and commits.
  func write(
    to environment: Environment, _ body: (WriteTransaction) throws -> Void
  ) throws {
    let write = try environment.beginWrite()
    do {
      try body(write)
    } catch {
      write.abort()
      throw error
    }
    try write.commit()
  }

  /// Checks that `body` throws an error for which `isExpected` holds.
  func assertThrows<Result>(
    _ body: @autoclosure () throws -> Result, file: StaticString = #filePath, line: UInt = #line,
    where isExpected: (StorageError) -> Bool
  ) {
    XCTAssertThrowsError(try body(), file: file, line: line) { error in
      guard let error = error as? StorageError, isExpected(error) else {
        return XCTFail("Threw \(error)", file: file, line: line)
      }
    }
  }

  /// Checks that `body` throws `expected`.
  func assertThrows<Result>(
    _ expected: StorageError, _ body: @autoclosure () throws -> Result,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    assertThrows(try body(), file: file, line: line) { $0 == expected }
  }

  /// Checks that `body`, of several statements, throws `expected`.
  func assertThrows(
    _ expected: StorageError, file: StaticString = #filePath, line: UInt = #line,
    _ body: () throws -> Void
  ) {
    assertThrows(expected, try body(), file: file, line: line)
  }
}

extension Transaction {
  /// Returns what is stored for a key of text, as text.
  func text(for key: String, in table: Table) throws -> String? {
    let bytes = Array(key.utf8)
    return unsafe try bytes.withUnsafeBytes { key in
      unsafe try value(for: key, in: table).map { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Returns the first key of text from one on.
  func firstKey(from key: String, in table: Table) throws -> String? {
    let bytes = Array(key.utf8)
    return unsafe try bytes.withUnsafeBytes { key in
      unsafe try firstKey(from: key, in: table).map { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Returns all entries of a table, in order.
  func entries(of table: Table) throws -> [[String]] {
    var cursor = try cursor(in: table)
    var entries: [[String]] = []
    while try cursor.next() {
      entries.append([cursor.keyText, cursor.valueText])
    }
    return entries
  }
}

extension Cursor {
  /// The key here, as text.
  var keyText: String { unsafe String(decoding: key, as: UTF8.self) }
  /// The value here, as text.
  var valueText: String { unsafe String(decoding: value, as: UTF8.self) }
}

extension WriteTransaction {
  /// Stores a text.
  func put(_ value: String, for key: String, in table: Table) throws {
    let (key, value) = (Array(key.utf8), Array(value.utf8))
    unsafe try key.withUnsafeBytes { key in
      unsafe try value.withUnsafeBytes { value in unsafe try put(value, for: key, in: table) }
    }
  }

  /// Stores a text unless the key exists.
  func insert(_ value: String, for key: String, in table: Table) throws -> Bool {
    let (key, value) = (Array(key.utf8), Array(value.utf8))
    return unsafe try key.withUnsafeBytes { key in
      unsafe try value.withUnsafeBytes { value in unsafe try insert(value, for: key, in: table) }
    }
  }

  /// Removes a key of text.
  func delete(_ key: String, in table: Table) throws -> Bool {
    let key = Array(key.utf8)
    return unsafe try key.withUnsafeBytes { key in unsafe try delete(key, in: table) }
  }
}
