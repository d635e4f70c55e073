/// A property that is reached through others: `owner.age`, `tags.name`.
package struct ColumnPath: Sendable {
  /// The properties on the way, the one that is meant last; each is one of the class that the one before
  /// leads to.
  package let columns: [ModelType.Column]

  /// A path; at least one property.
  package init(_ columns: [ModelType.Column]) { self.columns = columns }
}

extension ModelType {
  /// The property that a text with dots between the names says, or `nil` where there is none.
  package func path(named text: String) -> ColumnPath? {
    var columns: [Column] = []
    var model: ModelType? = self
    for name in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard let column = model?.column(named: String(name)) else { return nil }
      columns.append(column)
      model = column.target.map { ModelType.of($0) }
    }
    return columns.isEmpty ? nil : ColumnPath(columns)
  }
}
