// The notes of the samples: a value for the program, an object for the store, and a data source
// between them. No program of its own; `swift run notes --help` uses it.
// Read first: this file, then StoredNote.swift and NoteDataSource.swift.

public import Foundation

/// A note as the program knows it: a plain value, free to cross threads and to be edited.
///
/// What the store keeps is a ``StoredNote``; neither screen nor command line ever sees one.
public struct Note: Sendable, Hashable, Codable {
  /// What tells this note from all others.
  public var identifier: String
  /// The heading.
  public var title: String
  /// The text.
  public var content: String
  /// Words to find it by, in the order they were given.
  public var keywords: [String]
  /// When it was last written to a data source.
  public var lastEdited: Date

  /// Makes a note, as a new one unless told otherwise: with an identifier of its own, edited now.
  public init(
    identifier: String = UUID().uuidString, title: String = "", content: String = "",
    keywords: [String] = [], lastEdited: Date = Date()
  ) {
    self.identifier = identifier
    self.title = title
    self.content = content
    self.keywords = keywords
    self.lastEdited = lastEdited
  }
}
