import Leyden
import LeydenStorage
import TestSupport
import XCTest

/// A store does not grow where nothing is added.
final class FileSizeTests: StoreTestCase {
  func testACounterThatIsWrittenForEverTakesNoMoreRoom() throws {
    let store = try store()
    let other = try anotherStore()
    try store.write { for number in 0..<100 { try store.add(Card("\(number)", rank: 0)) } }
    // Idle: it holds an object, results that were looked at, and an observer that is never called.
    let idle = other.objects(Card.self).sorted(by: \.rank)
    XCTAssertEqual(idle.count, 100)
    let held = try XCTUnwrap(idle.first)
    let recorder = ChangeRecorder(idle) { $0.rank }
    let counter = try XCTUnwrap(store.object(ofType: Card.self, forPrimaryKey: "7"))
    let environment = try store.session.core.environment

    // A thread that posts notifications reads for as long as it is kept from going on.
    try store.session.core.announcer.whileNotReading {
      // Until the log holds as many commits as it ever will.
      for _ in 0..<testScale(11_000) { try store.write { counter.rank += 1 } }
      let size = environment.fileSize
      for _ in 0..<testScale(5_000) { try store.write { counter.rank += 1 } }
      XCTAssertLessThanOrEqual(environment.fileSize, 2 * size)
    }

    XCTAssertEqual(counter.rank, testScale(11_000) + testScale(5_000))
    XCTAssertEqual(held.rank, 0)
    other.refresh()
    XCTAssertEqual(recorder.values.last, counter.rank)
    XCTAssertEqual(recorder.violations, [])
  }
}
