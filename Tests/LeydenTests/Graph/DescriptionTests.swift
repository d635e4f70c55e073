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

  func testCirclesOfEveryKindEnd() throws {
    // given: an object that leads to itself in every way
    let (store, folder) = try folder { $0.title = "circle" }
    let (ann, bob) = (Person("Ann"), Person("Bob"))
    let sheet = Sheet("s")
    try store.write {
      try store.add([ann, bob])
      try store.add(sheet)
      (ann.best, bob.best) = (bob, ann)
      sheet.owner = ann
      folder.next = folder
      folder.people.append(contentsOf: (0..<100).map { $0 % 2 == 0 ? ann : bob })
      folder.answer = .object(folder)
      folder.answers.append(contentsOf: repeatElement(.object(folder), count: 100))
      folder.answerSet.insert(contentsOf: [.object(folder), .object(ann)])
      for number in 0..<100 { folder.answersByName["\(number)"] = .object(folder) }
      folder.place = Place("Rapenburg")
      folder.place?.note = .object(folder)
      folder.place?.host = ann
      folder.place?.guests.append(contentsOf: [ann, bob])
      folder.earlier.append(contentsOf: [Place("a"), Place("b")])
      folder.earlier[0].note = .object(folder)
      folder.byName["k"] = Place("c")
      folder.byName["k"]??.note = .object(folder)
    }

    // then: whatever of it is printed ends
    let dynamic = try XCTUnwrap(store.dynamicObjects("Folder").first)
    let texts: [(type: String, text: String)] = [
      ("Folder", "\(folder)"), ("Folder", "\(folder.detached())"), ("Person", "\(ann)"),
      ("Folder", "\(folder.answer)"), ("Place", folder.place?.description ?? ""),
      ("Person", "\(folder.people)"), ("AnyValue", "\(folder.answers)"),
      ("AnyValue", "\(folder.answerSet)"), ("AnyValue", "\(folder.answersByName)"),
      ("Place", "\(folder.earlier)"), ("Place", "\(folder.byName)"), ("Sheet", "\(ann.sheets)"),
      ("Person", "\(bob.admirers)"), ("Folder", "\(dynamic)"),
      ("Person", "\(store.objects(Person.self))"),
      ("Person", "\(folder.people.where { $0.age == 0 })"),
      ("Folder", String(reflecting: folder)), ("Person", String(reflecting: ann.admirers)),
    ]
    for (type, text) in texts {
      XCTAssertTrue(text.contains(type), text)
      XCTAssertLessThan(text.utf8.count, 10_000, String(text.prefix(200)))
    }
  }

  func testLongCollectionsOfEveryKindAreCut() throws {
    let (store, folder) = try folder()
    let (_, sheet) = try sheet()
    try store.write {
      for number in 0..<2_000 { folder.answersByName["\(number)"] = .int(number) }
      for number in 0..<2_000 { sheet.counts["\(number)"] = number }
      sheet.tags.insert(contentsOf: (0..<2_000).map { "tag \($0)" })
      sheet.numbers.append(contentsOf: 0..<100_000)
      folder.place = Place("x")
      folder.place?.visits.append(contentsOf: 0..<10_000)
      folder.answer = .string(String(repeating: "long ", count: 20_000))
    }
    let all = store.objects(Sheet.self)
    XCTAssertEqual(all.count, 1)
    for text in [
      "\(folder)", "\(sheet)", "\(sheet.numbers)", "\(sheet.tags)", "\(sheet.counts)",
      "\(folder.answersByName)", folder.place?.description ?? "", "\(all)",
      "\(sheet.detached())",
    ] { XCTAssertLessThan(text.utf8.count, 10_000, String(text.prefix(200))) }
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
