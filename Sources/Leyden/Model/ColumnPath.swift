/// A property that is reached through others: `owner.age`, `tags.name`.
package struct ColumnPath: Sendable {
  /// The properties on the way, the one that is meant last; each is one of the class that the one before
  /// leads to.
  package let columns: [ModelType.Column]

  /// A path; at least one property.
  package init(_ columns: [ModelType.Column]) { self.columns = columns }

  /// The property that is meant.
  package var last: ModelType.Column { columns[columns.count - 1] }

  /// The names of the properties, with dots between them.
  package var name: String { columns.map(\.name).joined(separator: ".") }

  /// Whether it leads from an object to one value: through links and embedded objects to a property that
  /// is a value of its own.
  package var leadsToOneValue: Bool {
    columns.dropLast().allSatisfy { $0.type == .link || $0.type == .embedded } && last.type.isScalar
  }
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
