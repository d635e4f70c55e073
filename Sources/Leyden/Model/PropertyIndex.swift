/// An index over the words or letters of a text property.
///
///     @Persisted(index: .caseInsensitive) var title: String
///
/// Declared for anything but a text, or where the store does not build it, opening a store throws
/// ``StoreError/unsupported(_:)``.
public enum PropertyIndex: Sendable {
  /// Over the words of a text. No store builds it so far.
  case fullText
  /// Over texts regardless of case: serves `equals`, `starts(with:)`, and `like` with a pattern that
  /// begins with letters, with and without ``StringOptions/caseInsensitive``.
  ///
  /// It does not serve orders: texts are sorted as Swift sorts them.
  case caseInsensitive
}
