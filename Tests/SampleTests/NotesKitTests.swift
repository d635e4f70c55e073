import Foundation
import Leyden
import NotesKit
import XCTest

/// Notes as values, in a store and through the data source.
final class NotesKitTests: SampleTestCase {
  /// Random texts from a few characters that are easily confused, joined or lost.
  private struct RandomNotes: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      // SplitMix64: any seed gives a good sequence.
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }

    mutating func text() -> String {
      let scalars: [Unicode.Scalar] = [
        "a", "n", "\\", "\n", "\r", ",", "\u{301}", "日", "\u{1F469}", "\u{200D}",
      ]
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &self) {
        text.append(scalars[Int.random(in: scalars.indices, using: &self)])
      }
      return String(text)
    }

    mutating func note() -> Note {
      let keywords = (0..<Int.random(in: 0...4, using: &self)).map { _ in text() }
      return Note(
        identifier: String(next()), title: text(), content: text(), keywords: keywords,
        lastEdited: Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &self)))
    }
  }

  func testANoteComesBackFromTheStoreAsItWentIn() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RandomNotes(state: seed)
    let dataSource = try NoteDataSource(url: storeURL)

    for _ in 0..<200 {
      let note = random.note()
      XCTAssertEqual(StoredNote(value: note).value, note, "unmanaged, seed \(seed)")
      try dataSource.store(object: note)
      let stored = dataSource.store.object(
        ofType: StoredNote.self, forPrimaryKey: note.identifier)
      XCTAssertEqual(stored?.value, note, "managed, seed \(seed)")
      // One failure tells as much as two hundred.
      guard stored?.value == note else { return }
    }
  }

  func testWritingStampsTheNoteAndPostsOnce() throws {
    let dataSource = try NoteDataSource(url: storeURL)
    let note = Note(identifier: "n1", title: "Milk", lastEdited: .distantPast)
    let posted = expectation(forNotification: .noteDataChanged, object: nil)
    posted.assertForOverFulfill = true

    let before = Date()
    try note.write(dataSource: dataSource)

    wait(for: [posted], timeout: 10)
    let stored = try XCTUnwrap(dataSource.notes.first)
    XCTAssertEqual(stored.title, "Milk")
    XCTAssertGreaterThanOrEqual(stored.lastEdited, before)
  }

  func testWritingAgainReplacesAndDeletingRemoves() throws {
    let dataSource = try NoteDataSource(url: storeURL)
    var note = Note(title: "Milk", content: "two bottles")
    try note.write(dataSource: dataSource)

    note.title = "Bread"
    try note.write(dataSource: dataSource)
    XCTAssertEqual(dataSource.notes.map(\.title), ["Bread"])

    let posted = expectation(forNotification: .noteDataChanged, object: nil)
    try note.delete(dataSource: dataSource)
    try note.delete(dataSource: dataSource)
    wait(for: [posted], timeout: 10)
    XCTAssertEqual(dataSource.notes, [])
  }

  func testTheListenerReadsTheChangeThatItIsToldOf() throws {
    let dataSource = try NoteDataSource(url: storeURL)
    var heard: [Int] = []
    // Delivered on the thread that posts, which is the one of the data source.
    nonisolated(unsafe) let listener = { heard.append(dataSource.notes.count) }
    let token = NotificationCenter.default.addObserver(
      forName: .noteDataChanged, object: nil, queue: nil
    ) { _ in unsafe listener() }
    defer { NotificationCenter.default.removeObserver(token) }

    let note = Note(title: "Milk")
    try note.write(dataSource: dataSource)
    try note.delete(dataSource: dataSource)

    XCTAssertEqual(heard, [1, 0])
  }

  func testADataSourceRefusesWhatIsNoNote() throws {
    let dataSource = try NoteDataSource(url: storeURL)

    XCTAssertThrowsError(try dataSource.store(object: "text")) { error in
      XCTAssertEqual(error as? DataSourceError, .unsupportedType("String"))
    }
    XCTAssertThrowsError(try dataSource.delete(object: 7))
  }
}
