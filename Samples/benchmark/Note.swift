import Foundation
import Leyden

/// The model of all questions.
final class Note: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var title: String
  @Persisted var content: String
  @Persisted var rating: Int
  @Persisted var lastEdited: Date
  @Persisted var isPinned: Bool
}

/// All values of a note, apart from any store.
struct NoteValue {
  var identifier: String
  var title: String
  var content: String
  var rating: Int
  var lastEdited: Date
  var isPinned: Bool
}

extension NoteValue {
  /// Reads every property of a note.
  init(_ note: Note) {
    self.init(
      identifier: note.identifier, title: note.title, content: note.content, rating: note.rating,
      lastEdited: note.lastEdited, isPinned: note.isPinned)
  }
}
