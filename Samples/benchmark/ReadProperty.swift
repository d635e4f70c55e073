import Foundation
import Leyden

/// Asks what a property costs of an object that is held already.
struct ReadProperty: Question {
  let name = "property"
  private let times = 200_000

  func title(_ options: Options) -> String { "one property of one object that is held" }

  func measure(_ report: Report) throws {
    let filled = try Filled(1_000, withSQLite: false)
    let (store, plain) = (filled.leyden, filled.plain)
    guard let note = store.objects(Note.self).first else { return }
    report.begin()

    try report.row(
      "an Int, in read { }", operations: times,
      leyden: {
        try store.read { nanoseconds { use(sum(times) { heldRating(note) }) } }
      }, lmdb: { nanoseconds { plain.readHeldRating(times) } })
    try report.row(
      "a Date, in read { }", operations: times,
      leyden: {
        try store.read {
          nanoseconds { use(sum(times) { heldDate(note).timeIntervalSinceReferenceDate }) }
        }
      }, lmdb: { nanoseconds { plain.readHeldDate(times) } })
    try report.row(
      "a String of 43 bytes, in read { }", operations: times,
      leyden: {
        try store.read { nanoseconds { use(sum(times) { heldTitle(note).utf8.count }) } }
      }, lmdb: { nanoseconds { plain.readHeldTitle(times) } })
    try report.row(
      "an Int, outside of read", operations: times,
      leyden: { nanoseconds { use(sum(times) { heldRating(note) }) } },
      lmdb: { nanoseconds { plain.readRating(times) } })
  }
}

@inline(__always)
private func sum<Number: AdditiveArithmetic>(_ times: Int, _ read: () -> Number) -> Number {
  var sum = Number.zero
  for _ in 0..<times { sum += read() }
  return sum
}

// Not inlined, so that each read is made; those of plain LMDB are made likewise.
@inline(never) private func heldRating(_ note: Note) -> Int { note.rating }
@inline(never) private func heldDate(_ note: Note) -> Date { note.lastEdited }
@inline(never) private func heldTitle(_ note: Note) -> String { note.title }
