import Leyden
import XCTest

final class DescriptionTests: EmbeddedTestCase {
  func testCirclesEnd() throws {
    let store = try store()
    let (ann, bob) = (Person("Ann"), Person("Bob"))
    ann.best = bob
    bob.best = ann
    for _ in 0..<2 {
      XCTAssertTrue(ann.description.hasPrefix("Person { name = \"Ann\"; age = 0; best = Person {"))
      XCTAssertLessThan(ann.description.utf8.count, 1_000)
      try store.write { if !ann.isManaged { try store.add(ann) } }
    }
  }

  func testLongCollectionsAndTextsAreCut() throws {
    let (store, sheet) = try sheet()
    let long = String(repeating: "ß", count: 5_000)
    try store.write {
      sheet.numbers.append(contentsOf: 0..<100_000)
      sheet.words.append(contentsOf: repeatElement(String?(long), count: 90))
      for number in 0..<50 {
        let label = Label(String(repeating: "\(number)", count: 400))
        sheet.labels.append(label)
        sheet.colors.insert(label)
        sheet.marks["\(number)"] = label
      }
    }
    let text = "\(sheet)"
    XCTAssertLessThan(text.utf8.count, 10_000)
    XCTAssertTrue(text.hasPrefix("Sheet { identifier = \"s\""), text)
    XCTAssertTrue(text.contains("List<Int> of 100000 [0, 1, 2"), text)
    XCTAssertTrue(text.contains("Label { name"), text)
  }

  func testEmbeddedObjectsAndValuesOfAnyTypeAreShown() throws {
    let (_, folder) = try folder {
      $0.place = Place("Rapenburg")
      $0.place?.visits.append(3)
      $0.answer = .object(Person("Ann"))
      $0.answers.append(contentsOf: [.int(1), .none])
    }
    let text = folder.description
    XCTAssertTrue(text.contains("place = Place { street = \"Rapenburg\"; city = \"Leiden\""), text)
    XCTAssertTrue(text.contains("visits = List<Int> of 1 [3]"), text)
    XCTAssertTrue(text.contains("answer = Person { name = \"Ann\""), text)
    XCTAssertTrue(text.contains("answers = List<AnyValue> of 2 [1, nil]"), text)
    XCTAssertTrue(folder.place?.description.hasPrefix("Place { street") ?? false)
  }

  func testDeletedObjectsAreEmptyAndOneLineSaysSo() throws {
    // given
    let (store, sheet) = try sheet()
    try store.write {
      sheet.title = "x"
      sheet.owner = Person("Ann")
      sheet.labels.append(Label("red"))
    }
    let other = try anotherStore()
    try other.write { try other.deleteAll(Sheet.self) }

    // when
    let messages = LogMessages()
    XCTAssertEqual(sheet.title, "")
    XCTAssertNil(sheet.owner)
    XCTAssertEqual(sheet.labels.count, 0)
    XCTAssertEqual(Array(sheet.tags), [])
    XCTAssertNil(sheet.counts["x"])
    XCTAssertEqual(sheet.rank, 0)
    XCTAssertTrue(sheet.description.hasPrefix("Sheet {"))
    XCTAssertNil(sheet["owner"])

    // then
    XCTAssertEqual(messages.all.count, 1, "\(messages.all)")
    XCTAssertTrue(sheet.isInvalidated)
    assertThrows(.invalidatedObject("Sheet.title")) {
      try store.write {
        try store.add(Label("lost"))
        sheet.title = "y"
      }
    }
    XCTAssertEqual(store.objects(Label.self).count, 1)
  }

  private func sheet() throws -> (Store, Sheet) {
    let store = try store()
    return (store, try store.write { try store.add(Sheet("s")) })
  }
}
