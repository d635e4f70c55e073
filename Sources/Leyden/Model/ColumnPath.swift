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
  package var leadsToOneValue: Bool { isOne && last.type.isScalar }

  /// Whether it leads from an object to one other: through links and embedded objects to a link.
  package var leadsToOneObject: Bool { isOne && last.type == .link }

  /// The path up to the first collection on it, or to its end.
  package var upToCollection: ColumnPath {
    let end = columns.firstIndex { $0.type != .link && $0.type != .embedded }
    return end.map { ColumnPath(Array(columns[...$0])) } ?? self
  }

  /// The paths to the links on the way, before its end.
  package var links: [ColumnPath] {
    upToCollection.columns.indices.dropLast().filter { columns[$0].type == .link }.map {
      ColumnPath(Array(columns[...$0]))
    }
  }

  private var isOne: Bool {
    columns.dropLast().allSatisfy { $0.type == .link || $0.type == .embedded }
  }
}

extension ModelType {
  /// The properties that a key path from the class reads, one of the object that the one before leads to;
  /// `nil` where it reads something else.
  ///
  /// The path is followed on probes, once, and remembered.
  package func path(for path: AnyKeyPath) -> ColumnPath? {
    if let known = paths.withLock({ $0[path] }) { return known }
    guard let found = ColumnTracer.path(path, in: self) else { return nil }
    paths.withLock { $0[path] = found }
    return found
  }

  /// The property that a text with dots between the names says, or `nil` where there is none.
  package func path(named text: String) -> ColumnPath? {
    var columns: [Column] = []
    var model: ModelType? = self
    for name in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard let column = model?.column(named: String(name)) else { return nil }
      columns.append(column)
      model = column.targetModel
    }
    return columns.isEmpty ? nil : ColumnPath(columns)
  }
}
