import Leyden
import XCTest

final class SetAndMapTests: GraphTestCase {
  private func sheet() throws -> (Store, Sheet) {
    let store = try store()
    return (store, try store.write { try store.add(Sheet("s")) })
  }

  func testSetHoldsEachValueOnce() throws {
    let (store, sheet) = try sheet()
    try store.write { for word in ["b", "a", "b", "c"] { sheet.tags.insert(word) } }
    XCTAssertEqual(Array(sheet.tags), ["a", "b", "c"])
    let many = (0..<100).map { "word \($0)" }
    try store.write { sheet.tags.insert(contentsOf: many + many) }
    XCTAssertEqual(sheet.tags.count, 103)
    XCTAssertTrue(sheet.tags.contains("word 57"))
    try store.write { for word in many { sheet.tags.remove(word) } }
    XCTAssertEqual(Array(sheet.tags), ["a", "b", "c"])
  }

  func testDeletedObjectLeavesTheSet() throws {
    let (store, sheet) = try sheet()
    let red = Label("red")
    try store.write {
      sheet.colors.insert(red)
      sheet.colors.insert(red)
      sheet.colors.insert(Label("blue"))
    }
    XCTAssertEqual(sheet.colors.count, 2)
    try store.write { try store.delete(red) }
    XCTAssertEqual(sheet.colors.map(\.name), ["blue"])
  }

  func testMapKeepsTheKeyOfADeletedObject() throws {
    let (store, sheet) = try sheet()
    let red = Label("red")
    try store.write {
      sheet.marks["one"] = red
      sheet.marks["two"] = Label("blue")
      sheet.counts["x"] = 1
      sheet.counts["x"] = 2
    }
    XCTAssertEqual(sheet.marks.keys, ["one", "two"])
    XCTAssertEqual(sheet.counts["x"], 2)
    try store.write { try store.delete(red) }
    XCTAssertEqual(sheet.marks.keys, ["one", "two"])
    XCTAssertNil(sheet.marks["one"] ?? nil)
    try store.write { sheet.marks["one"] = nil }
    XCTAssertEqual(sheet.marks.keys, ["two"])
  }

  func testMapOfManyEntries() throws {
    let (store, sheet) = try sheet()
    try store.write { for number in 0..<200 { sheet.counts["key \(number)"] = number } }
    XCTAssertEqual(sheet.counts.count, 200)
    XCTAssertEqual(sheet.counts["key 123"], 123)
    try store.write { for number in 0..<195 { sheet.counts.removeObject(for: "key \(number)") } }
    XCTAssertEqual(sheet.counts.values, [195, 196, 197, 198, 199])
  }
}
