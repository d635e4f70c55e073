import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Elements at the ends of what their types hold, and at the ends of what fits into keys, in every collection.
final class ExtremeElementTests: EmbeddedTestCase {
  private let dates = [
    Date(timeIntervalSinceReferenceDate: 612_345_678.123_456_7), .distantPast, .distantFuture,
    Date(timeIntervalSince1970: -0.5), Date(timeIntervalSinceReferenceDate: 0),
    Date(timeIntervalSinceReferenceDate: 1e15), Date(timeIntervalSinceReferenceDate: -0.0),
    Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
  ]

  private func bits(_ dates: [Date]) -> [UInt64] {
    dates.map(\.timeIntervalSinceReferenceDate.bitPattern)
  }

  private func date(_ value: AnyValue?) -> Date? {
    if case .date(let date)? = value { date } else { nil }
  }

  func testDatesKeepEveryBit() throws {
    let store = try temporaryDirectory().store(
      named: "dates", objectTypes: [Basket.self, Folder.self])
    let (basket, folder) = (Basket("b"), Folder("f"))
    basket.dates.append(contentsOf: dates)
    folder.answers.append(contentsOf: dates.map { .date($0) })
    for (number, date) in dates.enumerated() { folder.answersByName["\(number)"] = .date(date) }
    folder.place = Place("x")
    folder.place?.note = .date(dates[0])
    XCTAssertEqual(bits(Array(basket.dates)), bits(dates))
    try store.write {
      try store.add(basket)
      try store.add(folder)
      folder.answerSet.insert(contentsOf: dates.map { .date($0) })
    }
    store.close()

    let again = try temporaryDirectory().store(
      named: "dates", objectTypes: [Basket.self, Folder.self])
    let (read, other) = (
      try XCTUnwrap(again.objects(Basket.self).first),
      try XCTUnwrap(again.objects(Folder.self).first)
    )
    XCTAssertEqual(bits(Array(read.dates)), bits(dates))
    XCTAssertEqual(bits(other.answers.compactMap { date($0) }), bits(dates))
    XCTAssertEqual(
      bits(dates.indices.compactMap { date(other.answersByName["\($0)"]) }), bits(dates))
    XCTAssertEqual(date(other.place?.note).map { bits([$0]) }, bits([dates[0]]))
    // The two zeros are one element of a set.
    XCTAssertEqual(other.answerSet.count, dates.count - 1)
    XCTAssertEqual(other.answerSet.compactMap { date($0) }, Set(dates).sorted())
    for date in dates {
      XCTAssertTrue(other.answerSet.contains(.date(date)))
      XCTAssertEqual(again.objects(Basket.self).where { $0.dates.contains(date) }.count, 1)
      XCTAssertEqual(read.dates.index(of: date), dates.firstIndex(of: date))
    }
    try again.verify()
  }

  func testTextsOfEveryLengthAreElementsAndKeys() throws {
    let (store, folder) = try folder()
    let sheet = try store.write { try store.add(Sheet("s")) }
    func text(_ count: Int, _ end: String = "") -> String {
      String(repeating: "k", count: count - end.utf8.count) + end
    }
    let texts =
      [0, 1, 100, 254, 255, 256, 400, 480, 490, 500, 508, 509, 510, 511, 512, 513, 2_000, 70_000]
      .map { text($0) }
      + [text(3_000, "1"), text(3_000, "2"), String(repeating: "🦉", count: 400), "é", "日本語"]
    try store.write {
      sheet.words.append(contentsOf: texts)
      sheet.tags.insert(contentsOf: texts)
      for (number, text) in texts.enumerated() { sheet.counts[text] = number }
      folder.answers.append(contentsOf: texts.map { .string($0) })
      folder.answerSet.insert(contentsOf: texts.map { .string($0) })
      for text in texts { folder.answersByName[text] = .string(text) }
      folder.place = Place("x")
      folder.place?.words.insert(contentsOf: texts)
      for (number, text) in texts.enumerated() { folder.place?.counts[text] = number }
    }
    func check(_ texts: [String]) throws {
      let other = try anotherStore()
      let sheet = try XCTUnwrap(other.objects(Sheet.self).first)
      let folder = try XCTUnwrap(other.objects(Folder.self).first)
      XCTAssertTrue(sheet.words.map { $0 ?? "nil" } == texts)
      XCTAssertTrue(Array(folder.answers) == texts.map { .string($0) })
      XCTAssertTrue(Set(sheet.tags) == Set(texts))
      XCTAssertTrue(Set(sheet.counts.keys) == Set(texts))
      XCTAssertTrue(Set(folder.answerSet) == Set(texts.map { .string($0) }))
      XCTAssertTrue(Set(folder.place?.words.map { $0 } ?? []) == Set(texts))
      XCTAssertEqual(
        [sheet.tags.count, folder.answerSet.count, folder.place?.words.count],
        [texts.count, texts.count, texts.count])
      XCTAssertEqual(folder.place?.counts.count, texts.count)
      for text in texts {
        XCTAssertTrue(sheet.tags.contains(text))
        XCTAssertEqual(folder.answersByName[text], .string(text))
        XCTAssertNotNil(sheet.counts[text])
        XCTAssertNotNil(folder.place?.counts[text])
        XCTAssertFalse(sheet.tags.contains(text + "x"))
        XCTAssertNil(sheet.counts[text + "x"])
        XCTAssertEqual(store.objects(Sheet.self).where { $0.tags.contains(text) }.count, 1)
        XCTAssertEqual(store.objects(Sheet.self).where { $0.counts.keys == text }.count, 1)
      }
      try store.verify()
    }
    try check(texts)

    // when: one of two near twins and the longest one go, and a true copy comes
    let gone: Set = [texts[17], texts[18]]
    try store.write {
      for text in gone {
        sheet.tags.remove(text)
        sheet.counts[text] = nil
        folder.answerSet.remove(.string(text))
        folder.answersByName[text] = nil
        folder.place?.words.remove(text)
        folder.place?.counts[text] = nil
      }
      sheet.words.removeSubrange(17...18)
      folder.answers.removeSubrange(17...18)
      sheet.tags.insert(texts[19])
      folder.answerSet.insert(.string(texts[19]))
    }
    try check(texts.filter { !gone.contains($0) })
    XCTAssertFalse(sheet.tags.contains(texts[18]))
  }
}
