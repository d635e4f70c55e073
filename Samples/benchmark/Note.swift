import Foundation
import Leyden

/// What the models of all questions have.
protocol NoteModel: Object {
  var identifier: String { get set }
  var title: String { get set }
  var content: String { get set }
  var rating: Int { get set }
  var lastEdited: Date { get set }
  var isPinned: Bool { get set }
}

/// The model of most questions.
final class Note: Object, NoteModel {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var title: String
  @Persisted var content: String
  @Persisted var rating: Int
  @Persisted var lastEdited: Date
  @Persisted var isPinned: Bool
}

/// The same with two indexes.
final class IndexedNote: Object, NoteModel {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var title: String
  @Persisted var content: String
  @Persisted(indexed: true) var rating: Int
  @Persisted(indexed: true) var lastEdited: Date
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
  init(_ note: some NoteModel) {
    self.init(
      identifier: note.identifier, title: note.title, content: note.content, rating: note.rating,
      lastEdited: note.lastEdited, isPinned: note.isPinned)
  }
}

extension NoteModel {
  /// Takes over every property of a value.
  func set(_ value: NoteValue) {
    identifier = value.identifier
    title = value.title
    content = value.content
    rating = value.rating
    lastEdited = value.lastEdited
    isPinned = value.isPinned
  }
}

extension IndexedNote: ValueConvertible {
  convenience init(value: NoteValue) {
    self.init()
    set(value)
  }

  var value: NoteValue { NoteValue(self) }
}
