import CBaseline
import Foundation
import Leyden

/// The notes that all engines store: the same in every run.
// SAFETY: the C array lives as long as the instance and does not change, and every position is
// checked.
@safe
final class Notes: @unchecked Sendable {
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

  /// The values of a note.
  func value(_ position: Int) -> NoteValue {
    precondition(position < count)
    return unsafe NoteValue(
      identifier: identifier(position), title: String(cString: baseline_notes_title(all, position)),
      content: String(cString: baseline_notes_content(all, position)),
      rating: Int(baseline_notes_rating(all, position)),
      lastEdited: Date(timeIntervalSinceReferenceDate: baseline_notes_edited(all, position)),
      isPinned: baseline_notes_pinned(all, position))
  }

  /// New objects with the values of all notes.
  func objects<Model: NoteModel>(_ type: Model.Type = Note.self) -> [Model] {
    (0..<count).map { position in
      let note = Model()
      note.set(value(position))
      return note
    }
  }

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
