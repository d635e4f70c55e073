/// A model with a plain value beside it: `StoredNote` and `Note`.
///
/// The model class is `final`. The law that makes the bridge useful: `StoredNote(value: n).value == n`,
/// managed or not.
///
///     extension StoredNote: ValueConvertible {
///       convenience init(value note: Note) { self.init(); identifier = note.identifier; … }
///       var value: Note { Note(identifier: identifier, …) }
///     }
public protocol ValueConvertible: Object {
  /// The plain value.
  associatedtype Value: Sendable
  /// Makes an unmanaged object from a value.
  init(value: Value)
  /// The object's value as it is now.
  var value: Value { get }
}
