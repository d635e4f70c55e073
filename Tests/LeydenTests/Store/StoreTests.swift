import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class StoreTests: XCTestCase {
  func testAnAddedObjectIsLive() throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Card.self, Item.self])
    let card = Card("a", title: "Leiden", rank: 3)
    card.picture = Data(repeating: 7, count: 10_000)

    try store.write { try store.add(card) }

    XCTAssertEqual(card.title, "Leiden")
    XCTAssertEqual(card.rank, 3)
    XCTAssertEqual(card.code, nil)
    XCTAssertEqual(card.picture, Data(repeating: 7, count: 10_000))
    XCTAssertEqual(store.object(ofType: Card.self, forPrimaryKey: "a")?.title, "Leiden")
    XCTAssertEqual(store.objects(Card.self).count, 1)
  }

  func testAChangeIsSeenByAllHandlesAndAfterReopening() throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try directory.store(objectTypes: [Card.self, Item.self])
      try store.write { try store.add(Card("a", title: "x")) }
      let first = try XCTUnwrap(store.object(ofType: Card.self, forPrimaryKey: "a"))
      let second = try XCTUnwrap(store.objects(Card.self).first)

      try store.write {
        first.title = "a longer title than before"
        XCTAssertEqual(second.title, "a longer title than before")
        second.code = "c"
        second.picture = Data(repeating: 1, count: 5000)
      }

      XCTAssertEqual(first.code, "c")
      XCTAssertEqual(first, second)
    }
    let store = try directory.store(objectTypes: [Card.self, Item.self])
    let card = try XCTUnwrap(store.objects(Card.self).first)
    XCTAssertEqual(card.title, "a longer title than before")
    XCTAssertEqual(card.picture.count, 5000)
  }

  func testObserversAreToldAtTheEndOfAWrite() throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Item.self])
    try store.write { for value in 0..<10 { try store.add(Item(value)) } }
    var calls: [String] = []
    let items = store.objects(Item.self).where { $0.value > 0 && $0.value < 5 }
      .sorted(by: \.value, ascending: false)
    let token = items.observe { change in
      switch change {
      case .initial(let items): calls.append("initial \(items.map(\.value))")
      case .update(let items, let deletions, let insertions, let modifications):
        calls.append("\(items.map(\.value)) -\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): calls.append("\(error)")
      }
    }

    try store.write { store.objects(Item.self)[2].value = 4 }
    try store.write { try store.delete(store.objects(Item.self).where { $0.value > 3 }) }

    XCTAssertEqual(
      calls, ["initial [4, 3, 2, 1]", "[4, 4, 3, 1] -[2] +[0] ~[]", "[3, 1] -[0, 1] +[] ~[]"])
    token.invalidate()
  }
}
