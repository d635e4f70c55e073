/// The type of a property, as the file knows it.
///
/// The raw values are part of the file format and never change their meaning.
public enum PropertyType: UInt8, Sendable, Hashable, CaseIterable {
  /// `Bool`.
  case bool = 1
  /// `Int`, stored in 64 bits.
  case int = 2
  /// `Double`.
  case double = 11
  /// `String`, as the bytes of its UTF-8 form.
  case string = 12
  /// `Data`.
  case data = 13
  /// `Date`, as the seconds since the reference date that Foundation keeps.
  case date = 14
  /// `UUID`, 16 bytes.
  case uuid = 15

  /// Whether a record holds the value as bytes and not as a number in its slot.
  package var isStoredAsBytes: Bool {
    switch self {
    case .bool, .int, .double, .date: false
    case .string, .data, .uuid: true
    }
  }
}
