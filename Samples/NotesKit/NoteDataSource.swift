public import Foundation
public import Leyden

/// The notes of one store.
///
/// After each change it posts ``Foundation/NSNotification/Name/noteDataChanged``, once and when the
/// change can be read. Like its store, it belongs to one thread.
public final class NoteDataSource: DataSource {
  /// Where the notes are.
  public let store: Store

  /// Serves the notes of an open store.
  public init(store: Store) {
    self.store = store
  }

  /// Opens the store at `url`, which is made where it is missing unless `readOnly`.
  public convenience init(url: URL, readOnly: Bool = false) throws {
    self.init(store: try Store(configuration: Self.configuration(url: url, readOnly: readOnly)))
  }

  /// How a store of notes is opened.
  public static func configuration(url: URL, readOnly: Bool = false) -> Store.Configuration {
    var configuration = Store.Configuration(fileURL: url, objectTypes: [StoredNote.self])
    configuration.readOnly = readOnly
    return configuration
  }

  /// All notes, the last edited first.
  public var notes: [Note] { storedNotes.values }

  /// All notes as live objects, the last edited first.
  public var storedNotes: Results<StoredNote> {
    store.objects(StoredNote.self).sorted(by: \.lastEdited, ascending: false)
  }

  /// The notes that have `text` in title, keywords or content, whatever its case and accents; the
  /// last edited first.
  public func storedNotes(containing text: String) -> Results<StoredNote> {
    let options: StringOptions = [.caseInsensitive, .diacriticInsensitive]
    let keyword = KeywordText.escaped(text)
    return storedNotes.where {
      $0.title.contains(text, options: options)
        || $0.keywords.contains(keyword, options: options)
        || $0.content.contains(text, options: options)
    }
  }

  /// Stores a note; of one that is there already, only what differs is written.
  ///
  /// - Throws: ``DataSourceError/unsupportedType(_:)`` for anything but a ``Note``, or what the store
  ///   throws.
  public func store<T>(object: T) throws {
    let note = try note(object)
    try write { try store.add(value: note, as: StoredNote.self, update: .modified) }
  }

  /// Deletes the note with the identifier of `object`.
  ///
  /// - Throws: ``DataSourceError/unsupportedType(_:)`` for anything but a ``Note``, or what the store
  ///   throws.
  public func delete<T>(object: T) throws {
    let note = try note(object)
    try write {
      let stored = store.object(ofType: StoredNote.self, forPrimaryKey: note.identifier)
      if let stored { try store.delete(stored) }
    }
  }

  /// Makes several changes as one, all or none, and posts once.
  @discardableResult
  public func write<Result>(_ body: () throws -> Result) throws -> Result {
    let result = try store.write { try body() }
    NotificationCenter.default.post(name: .noteDataChanged, object: nil)
    return result
  }

  private func note<T>(_ object: T) throws(DataSourceError) -> Note {
    guard let note = object as? Note else { throw .unsupportedType("\(T.self)") }
    return note
  }
}
