import LeydenStorage
import TestSupport
import XCTest

@testable import Leyden

/// Row numbers, as writers that follow each other give them.
final class RowNumbersTests: StoreTestCase {
  func testEachWriterGoesOnWhereTheOneBeforeStopped() throws {
    let environment = try store().session.core.environment
    var given: [UInt64] = []

    for count in [3, 10, 5_000, 1] {
      let write = try environment.beginWrite()
      let meta = try write.makeTable(named: MetaEntry.table)
      var numbers = try RowNumbers(environment.signal, meta: meta, write)
      for _ in 0..<count { given.append(numbers.take()) }
      try numbers.save(in: meta, write)
      try write.commit()
    }

    XCTAssertEqual(given, given.sorted())
    XCTAssertEqual(Set(given).count, given.count)
  }

  func testNumbersOfACommitThatFailedAreUsedUp() throws {
    let environment = try store().session.core.environment
    var given: [UInt64] = []

    for count in [3, 5_000, 1, 10_000, 1] {
      let write = try environment.beginWrite()
      let meta = try write.makeTable(named: MetaEntry.table)
      var numbers = try RowNumbers(environment.signal, meta: meta, write)
      for _ in 0..<count { given.append(numbers.take()) }
      try numbers.save(in: meta, write)
      for _ in 0..<3 { given.append(numbers.take()) }
      write.abort()
    }

    XCTAssertEqual(given, given.sorted())
    XCTAssertEqual(Set(given).count, given.count)
  }
}
