public import Foundation
public import Leyden

/// A note as the store keeps it.
public final class StoredNote: Object {
  /// What tells this note from all others.
  @Persisted(primaryKey: true) public var identifier: String
  /// The heading.
  @Persisted public var title: String = ""
  /// The text.
  @Persisted public var content: String = ""
  /// The keywords as one text; ``KeywordText`` reads and writes it.
  @Persisted public var keywords: String = ""
  /// When the note was last written.
  @Persisted public var lastEdited: Date
}

extension StoredNote: ValueConvertible {
  /// Makes an object of a note's value; `StoredNote(value: note).value == note` for every note.
  public convenience init(value note: Note) {
    self.init()
    identifier = note.identifier
    title = note.title
    content = note.content
    keywords = KeywordText(note.keywords).text
    lastEdited = note.lastEdited
  }

  /// The note as a value.
  public var value: Note {
    Note(
      identifier: identifier, title: title, content: content,
      keywords: KeywordText(text: keywords).keywords, lastEdited: lastEdited)
  }
}
