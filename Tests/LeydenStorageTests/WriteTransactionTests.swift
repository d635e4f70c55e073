import LeydenStorage
import XCTest

final class WriteTransactionTests: StorageTestCase {
  func testWhatIsCommittedIsReadAfterOpeningAgain() throws {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")
      try write.put("value", for: "key", in: table)
    }

    let read = try open().beginRead()

    let table = try XCTUnwrap(read.table(named: "t1"))
    XCTAssertEqual(try read.text(for: "key", in: table), "value")
    XCTAssertEqual(try read.count(of: table), 1)
    XCTAssertEqual(try read.pages(of: table), 1)
  }

  func testAnAbortedWriteLeavesNothing() throws {
    let environment = try open()
    let write = try environment.beginWrite()
    let table = try write.makeTable(named: "t1")
    try write.put("value", for: "key", in: table)

    write.abort()

    XCTAssertNil(try environment.beginRead().table(named: "t1"))
    try self.write(to: environment) { XCTAssertNil(try $0.table(named: "t1")) }
  }
}
