/// What text operators apply to: `String` and its optional.
public protocol _Text {}
extension String: _Text {}
extension Optional: _Text where Wrapped: _Text {}

extension Query where T: _Text {
  /// The text is somewhere in the property; the empty text is in every text.
  public func contains(_ text: String, options: StringOptions = []) -> Query<Bool> {
    match(.contains, text, options)
  }
  /// The property begins with the text.
  public func starts(with text: String, options: StringOptions = []) -> Query<Bool> {
    match(.starts, text, options)
  }
  /// The property ends with the text.
  public func ends(with text: String, options: StringOptions = []) -> Query<Bool> {
    match(.ends, text, options)
  }
  /// The property follows the pattern: `*` stands for any text, `?` for one character.
  public func like(_ pattern: String, options: StringOptions = []) -> Query<Bool> {
    match(.like, pattern, options)
  }
  /// The property equals the text.
  public func equals(_ text: String, options: StringOptions = []) -> Query<Bool> {
    match(.equals, text, options)
  }
  /// The property does not equal the text.
  public func notEquals(_ text: String, options: StringOptions = []) -> Query<Bool> {
    condition { .not(.text($0, .equals, text, options)) }
  }
}

extension Query {
  fileprivate func match(
    _ match: Expression.TextMatch, _ text: String, _ options: StringOptions
  ) -> Query<Bool> {
    condition { .text($0, match, text, options) }
  }
}
