import LeydenStorage
import XCTest

final class CursorTests: StorageTestCase {
  private func environment(with keys: [String]) throws -> Environment {
    let environment = try open()
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      for key in keys { try write.put("\(key)!", for: key, in: table) }
    }
    return environment
  }

  func testMovesGoThroughTheKeysInOrder() throws {
    let read = try environment(with: ["b", "a", "c"]).beginRead()
    var cursor = try read.cursor(in: XCTUnwrap(read.table(named: "t1")))

    XCTAssertTrue(try cursor.next())
    XCTAssertEqual(cursor.keyText, "a")
    XCTAssertTrue(try cursor.last())
    XCTAssertEqual(cursor.valueText, "c!")
    XCTAssertTrue(try cursor.previous())
    XCTAssertEqual(cursor.keyText, "b")
    XCTAssertTrue(try cursor.first())
    XCTAssertEqual(cursor.keyText, "a")
    XCTAssertFalse(try cursor.previous())
  }

  func testFromNowhereBackwardsIsTheLast() throws {
    let read = try environment(with: ["a", "b"]).beginRead()
    var cursor = try read.cursor(in: XCTUnwrap(read.table(named: "t1")))

    XCTAssertTrue(try cursor.previous())

    XCTAssertEqual(cursor.keyText, "b")
  }

  func testSeekingGoesToTheKeyOrTheNextOne() throws {
    let read = try environment(with: ["a", "c"]).beginRead()
    var cursor = try read.cursor(in: XCTUnwrap(read.table(named: "t1")))

    XCTAssertTrue(try seek("a", &cursor))
    XCTAssertEqual(cursor.keyText, "a")
    XCTAssertTrue(try seek("b", &cursor))
    XCTAssertEqual(cursor.keyText, "c")
    XCTAssertFalse(try seek("d", &cursor))
    XCTAssertEqual(cursor.keyText, "")
    XCTAssertTrue(try seek("", &cursor))
    XCTAssertEqual(cursor.keyText, "a")
  }

  func testAnEmptyTableHasNoPlaces() throws {
    let read = try environment(with: []).beginRead()
    var cursor = try read.cursor(in: XCTUnwrap(read.table(named: "t1")))

    XCTAssertFalse(try cursor.first())
    XCTAssertFalse(try cursor.last())
    XCTAssertFalse(try cursor.next())
    XCTAssertFalse(try cursor.previous())
    XCTAssertFalse(try cursor.seek(row: 0))
    XCTAssertEqual(cursor.row, 0)
  }

  func testARowIsTheEndOfTheKey() throws {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")
      let key = Array("field".utf8) + [0, 0, 0, 0, 0, 0, 1, 2]
      unsafe try key.withUnsafeBytes { key in
        unsafe try write.put(UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: table)
      }
      var cursor = try write.cursor(in: table)

      XCTAssertTrue(try cursor.first())

      XCTAssertEqual(cursor.row, 258)
    }
  }

  func testACursorOfAnEndedTransactionThrows() throws {
    let read = try environment(with: ["a"]).beginRead()
    var cursor = try read.cursor(in: XCTUnwrap(read.table(named: "t1")))
    XCTAssertTrue(try cursor.next())

    read.end()

    XCTAssertThrowsError(try cursor.next()) { XCTAssertEqual($0 as? StorageError, .closed) }
  }

  func testACursorMayOutliveItsWrite() throws {
    let environment = try environment(with: ["a"])
    let write = try environment.beginWrite()
    let table = try XCTUnwrap(write.table(named: "t1"))
    var cursor = try write.cursor(in: table)
    XCTAssertTrue(try cursor.next())

    try write.commit()

    XCTAssertThrowsError(try cursor.next()) { XCTAssertEqual($0 as? StorageError, .closed) }
  }

  func testACursorRestsWhileASavepointIsOpen() throws {
    try write(to: environment(with: ["a", "b"])) { write in
      let table = try XCTUnwrap(write.table(named: "t1"))
      var cursor = try write.cursor(in: table)
      XCTAssertTrue(try cursor.next())
      try write.beginSavepoint()
      var inner = try write.cursor(in: table)
      XCTAssertTrue(try inner.last())
      XCTAssertThrowsError(try cursor.next()) { XCTAssertEqual($0 as? StorageError, .closed) }

      try write.commitSavepoint()

      XCTAssertTrue(try cursor.next())
      XCTAssertEqual(cursor.keyText, "b")
      XCTAssertThrowsError(try inner.next()) { XCTAssertEqual($0 as? StorageError, .closed) }
    }
  }

  private func seek(_ key: String, _ cursor: inout Cursor) throws -> Bool {
    let key = Array(key.utf8)
    return unsafe try key.withUnsafeBytes { unsafe try cursor.seek($0) }
  }
}
