import Leyden
import XCTest

final class ListTests: GraphTestCase {
  private func sheet() throws -> (Store, Sheet) {
    let store = try store()
    return (store, try store.write { try store.add(Sheet("s")) })
  }

  func testListOfValues() throws {
    let (store, sheet) = try sheet()
    try store.write { sheet.numbers.append(contentsOf: 0..<10) }
    XCTAssertEqual(Array(sheet.numbers), Array(0..<10))
    try store.write {
      sheet.numbers.insert(100, at: 5)
      sheet.numbers.remove(at: 0)
      sheet.numbers.move(from: 0, to: 8)
      sheet.numbers[2] = -1
      sheet.numbers.swapAt(0, 1)
    }
    var mirror = Array(0..<10)
    mirror.insert(100, at: 5)
    mirror.remove(at: 0)
    mirror.insert(mirror.remove(at: 0), at: 8)
    mirror[2] = -1
    mirror.swapAt(0, 1)
    XCTAssertEqual(Array(sheet.numbers), mirror)
  }

  func testLongListIsRightAtEachPosition() throws {
    let (store, sheet) = try sheet()
    try store.write { sheet.numbers.append(contentsOf: 0..<5_000) }
    XCTAssertEqual(sheet.numbers.count, 5_000)
    var mirror = Array(0..<5_000)
    try store.write {
      for step in 0..<300 {
        let position = step * 7_919 % mirror.count
        sheet.numbers.insert(-step, at: position)
        mirror.insert(-step, at: position)
        sheet.numbers.remove(at: step * 31 % mirror.count)
        mirror.remove(at: step * 31 % mirror.count)
      }
    }
    XCTAssertEqual(Array(sheet.numbers), mirror)
    try store.read {
      for position in stride(from: 0, to: mirror.count, by: 97) {
        XCTAssertEqual(sheet.numbers[position], mirror[position])
      }
    }
    try store.write { sheet.numbers.removeAll() }
    XCTAssertEqual(sheet.numbers.count, 0)
    try store.write { sheet.numbers.append(1) }
    XCTAssertEqual(Array(sheet.numbers), [1])
  }

  func testTextsAndNil() throws {
    let (store, sheet) = try sheet()
    let long = String(repeating: "jar ", count: 500)
    let mirror: [String?] = ["a", nil, "", long, "é"]
    try store.write { sheet.words.append(contentsOf: mirror) }
    XCTAssertEqual(Array(sheet.words), mirror)
    try store.write { sheet.words.remove(at: 3) }
    XCTAssertEqual(Array(sheet.words), ["a", nil, "", "é"])
  }

  func testDeletedElementsGo() throws {
    let (store, sheet) = try sheet()
    let labels = (0..<40).map { Label("\($0)") }
    try store.write {
      sheet.labels.append(contentsOf: labels)
      sheet.labels.append(labels[3])
    }
    XCTAssertEqual(labels[3].sheets.map(\.identifier), ["s"])
    try store.write { try store.delete(labels[3]) }
    XCTAssertEqual(sheet.labels.map(\.name), (0..<40).filter { $0 != 3 }.map { "\($0)" })
    try store.write { try store.delete(sheet) }
    XCTAssertEqual(store.objects(Label.self).count, 39)
    XCTAssertEqual(labels[5].sheets.count, 0)
  }

  func testUnmanagedListsAreAddedWithTheirOwner() throws {
    let store = try store()
    let sheet = Sheet("s")
    sheet.numbers.append(contentsOf: [1, 2])
    sheet.labels.append(Label("red"))
    let list = sheet.labels
    try store.write { try store.add(sheet) }
    XCTAssertEqual(Array(sheet.numbers), [1, 2])
    XCTAssertTrue(list === sheet.labels)
    try store.write { list.append(Label("blue")) }
    XCTAssertEqual(sheet.labels.map(\.name), ["red", "blue"])
    XCTAssertEqual(
      try anotherStore().objects(Sheet.self).first?.labels.map(\.name), ["red", "blue"])
  }
}
