import LeydenStorage

/// Where the rows of a query come from.
package enum RowSource: Sendable, Hashable {
  /// All rows of the type.
  case all
  /// Those whose property leads to an object, in the order of their creation.
  case linking(ObjectReference, UInt32)
  /// Those that a collection holds, in its order.
  case collection(CollectionPlace)

  /// Whether a row may be there more than once, in an order that is not that of the rows.
  package var isCollection: Bool { if case .collection = self { true } else { false } }

  /// Its rows, in order.
  func rows(
    _ catalog: Catalog, in transaction: Transaction
  ) throws(StorageError) -> [UInt64] {
    switch self {
    case .all: return []
    case .linking(let target, let property):
      var rows: [UInt64] = []
      try InverseEntry.forEach(to: target, property, in: transaction) { (entry, _) in
        rows.append(entry.source)
        return true
      }
      return rows
    case .collection(let place):
      return try place.read(catalog, in: transaction, ofNothing: []) {
        (reader) throws(StorageError) in
        var rows: [UInt64] = []
        try reader.forEach { value in
          if case .object(let reference) = value { rows.append(reference.row) }
          return true
        }
        return rows
      } ?? []
    }
  }
}

/// A property of a row, or of the object that links and embedded objects lead to from there.
package struct Route: Sendable, Hashable {
  /// The properties on the way.
  package let links: [Int]
  /// The property that is meant.
  package let column: Int

  /// A property of the row itself, or of what it leads to.
  package init(links: [Int] = [], column: Int) {
    self.links = links
    self.column = column
  }

  /// The properties of a path.
  package init(_ path: ColumnPath) {
    links = path.columns.dropLast().map { Int($0.number) }
    column = Int(path.last.number)
  }

  /// The names of the properties, with dots between them.
  package func name(in model: ModelType) -> String {
    var names: [String] = []
    var model = model
    for link in links {
      names.append(model.columns[link].name)
      guard let target = model.columns[link].target else { break }
      model = ModelType.of(target)
    }
    return (names + [model.columns[column].name]).joined(separator: ".")
  }
}

/// Reads what a route leads to.
struct RouteReader {
  /// The property that is meant.
  let column: ModelType.Column
  private let steps: [PathReader]

  init(_ route: Route, _ binding: TypeBinding, _ session: Session) {
    var last = binding
    var steps: [PathReader] = []
    for link in route.links {
      let reader = PathReader(.one(link), last, session)
      guard let target = reader.target else { break }
      steps.append(reader)
      last = target
    }
    self.steps = steps
    column = last.model.columns[route.column]
  }

  /// Calls `body` with the record of the object whose property is meant; with `nil` where a link is.
  func withRecord(
    of record: StoredRecord, in transaction: Transaction,
    _ body: (StoredRecord?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try follow(steps[...], record, transaction, body)
  }

  private func follow(
    _ steps: ArraySlice<PathReader>, _ record: StoredRecord, _ transaction: Transaction,
    _ body: (StoredRecord?) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let step = steps.first else { return try body(record) }
    try step.forEach(of: record, readsObjects: true, in: transaction) {
      (reached) throws(StorageError) in
      if case .object(let record) = reached {
        try follow(steps.dropFirst(), record, transaction, body)
      } else {
        try body(nil)
      }
      return false
    }
  }

  /// The value that is meant; null where a link is nil.
  func value(
    of record: StoredRecord, in transaction: Transaction
  ) throws(StorageError) -> StoredValue {
    if steps.isEmpty { return try record.value(Int(column.number), in: transaction) }
    var value = StoredValue.null
    try withRecord(of: record, in: transaction) { (record) throws(StorageError) in
      value = try record?.value(Int(column.number), in: transaction) ?? .null
    }
    return value
  }

  /// Whether there may be no value.
  var isOptional: Bool { !steps.isEmpty || column.isOptional }
  /// Whether the property is one of the row itself.
  var isDirect: Bool { steps.isEmpty }
}
