import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Threads with stores of their own: they write, read and observe at once.
final class ManyThreadsTests: StoreTestCase {
  func testThreadsThatWriteReadAndObserveAgreeInTheEnd() throws {
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    let problems = Locked<[String]>([])
    let store = try store()
    try store.write { for _ in 0..<8 { try store.add(Item(0)) } }

    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      do {
        let store = try Store(configuration: configuration)
        let recorder = ChangeRecorder(
          store.objects(Item.self).sorted(by: \.value, ascending: false)
        ) { $0.value }
        var generator = SeededGenerator(seed: UInt64(thread))
        for step in 0..<150 {
          switch Int.random(in: 0..<6, using: &generator) {
          case 0...2:
            // The sum of all items stays as it is.
            try store.write {
              let items = Array(store.objects(Item.self))
              let (from, to) = (items.randomElement(using: &generator), items.last)
              from?.value -= step
              to?.value += step
            }
          case 3:
            try store.read {
              let sum = store.objects(Item.self).reduce(0) { $0 + $1.value }
              if sum != 0 { problems.withLock { $0.append("thread \(thread): sum \(sum)") } }
            }
          case 4: store.refresh()
          default:
            let count = store.objects(Item.self).where { $0.value > 0 }.count
            if count > 8 { problems.withLock { $0.append("thread \(thread): \(count)") } }
          }
        }
        store.refresh()
        problems.withLock { $0 += recorder.violations }
        if let failure = store.failure { problems.withLock { $0.append("\(failure)") } }
      } catch { problems.withLock { $0.append("thread \(thread): \(error)") } }
    }

    XCTAssertEqual(problems.withLock { $0 }, [])
    XCTAssertEqual(store.objects(Item.self).reduce(0) { $0 + $1.value }, 0)
    XCTAssertNoThrow(try store.verify())
  }

  func testStoresAreOpenedAndClosedWhileOthersWrite() throws {
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    let problems = Locked<[String]>([])

    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      do {
        for number in 0..<40 {
          let store = try Store(configuration: configuration)
          try store.write { try store.add(Card("\(thread)-\(number)")) }
          let found = store.object(ofType: Card.self, forPrimaryKey: "\(thread)-\(number)")
          if found == nil { problems.withLock { $0.append("\(thread)-\(number)") } }
          if number % 2 == 0 { store.close() }
        }
      } catch { problems.withLock { $0.append("thread \(thread): \(error)") } }
    }

    XCTAssertEqual(problems.withLock { $0 }, [])
    XCTAssertEqual(try store().objects(Card.self).count, 240)
    XCTAssertNoThrow(try store().verify())
  }
}
