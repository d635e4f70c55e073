import CBaseline
import Foundation

/// The notes that all engines store: the same in every run.
// SAFETY: the C array lives as long as the instance, and every position is checked.
@safe
final class Notes {
  let all: OpaquePointer
  let count: Int

  init(_ count: Int) {
    unsafe all = baseline_notes_create(count)
    self.count = count
  }

  deinit { unsafe baseline_notes_destroy(all) }

  /// The primary key of a note.
  func identifier(_ position: Int) -> String {
    precondition(position < count)
    return unsafe String(cString: baseline_notes_identifier(all, position))
  }

  /// A new object with the values of a note.
  func object(_ position: Int) -> Note {
    precondition(position < count)
    let note = Note()
    note.identifier = identifier(position)
    note.title = unsafe String(cString: baseline_notes_title(all, position))
    note.content = unsafe String(cString: baseline_notes_content(all, position))
    note.rating = unsafe Int(baseline_notes_rating(all, position))
    note.lastEdited = unsafe Date(
      timeIntervalSinceReferenceDate: baseline_notes_edited(all, position))
    note.isPinned = unsafe baseline_notes_pinned(all, position)
    return note
  }

  /// New objects with the values of all notes.
  func objects() -> [Note] { (0..<count).map(object) }

  /// Positions in an order that is random and the same in every run.
  func positions(_ length: Int, seed: UInt64) -> [UInt32] {
    var state = seed
    return (0..<length).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt32(truncatingIfNeeded: (state >> 33) % UInt64(count))
    }
  }
}

/// A title of the usual length, for changes.
func changedTitle(_ number: Int) -> String {
  let text = "Changed for the time \(number) "
  return text + String(repeating: "-", count: 43 - text.utf8.count)
}
