import LeydenStorage

/// The properties that decide about a row of a query: its own, and those of objects that it leads to.
struct Dependencies {
  /// The columns that are asked for at the end of each way; the row's own at the end of none.
  private(set) var columns: [[PathStep]: Set<Int>] = [:]

  init(_ query: RowQuery) {
    if let condition = query.condition { add(condition, []) }
    for term in query.order { add(term.route) }
    for stage in query.stages {
      switch stage {
      case .distinct(let route): add(route)
      case .sort(let term): add(term.route)
      case .filter(let condition): add(condition, [])
      case .limit, .offset: break
      }
    }
  }

  private mutating func add(_ route: Route) {
    add(Operand.column(route.column).after(route.links.map { .one($0) }), [])
  }

  private mutating func add(_ expression: Expression, _ way: [PathStep]) {
    switch expression {
    case .along(let step, let condition):
      note([step.column], way)
      add(condition, way + [step])
    case .compareOperands(let left, _, let right):
      add(left, way)
      add(right, way)
    case .and(let parts), .or(let parts): for part in parts { add(part, way) }
    case .not(let part): add(part, way)
    default: note(expression.columns, way)
    }
  }

  private mutating func add(_ operand: Operand, _ way: [PathStep]) {
    switch operand {
    case .constant: break
    case .column(let column): note([column], way)
    case .along(let step, let operand):
      note([step.column], way)
      add(operand, way + [step])
    case .count(let steps, let condition):
      var way = way
      for step in steps {
        note([step.column], way)
        way.append(step)
      }
      add(condition, way)
    case .total(_, let operand): add(operand, way)
    case .choice(let condition, let first, let second):
      add(condition, way)
      add(first, way)
      add(second, way)
    }
  }

  private mutating func note(_ columns: Set<Int>, _ way: [PathStep]) {
    self.columns[way, default: []].formUnion(columns.subtracting([Expression.itself]))
  }
}

/// Objects of one type that a query's rows lead to, and how to get from them back to the rows.
struct RelatedObjects {
  /// Their type's number.
  let type: UInt32
  /// Those of their properties that decide about the rows.
  let deciding: ObjectChangeSet.Properties
  private let stepsBack: [StepBack]

  /// Follows a way from the rows of a type.
  ///
  /// - Returns: `nil` where it ends within an embedded object, whose owner's property is changed with it, or
  ///   in values, or in a type that the file does not have.
  init?(_ way: [PathStep], _ columns: Set<Int>, from binding: TypeBinding, _ session: Session) {
    var binding = binding
    guard var owner = binding.stored?.id else { return nil }
    var stepsBack: [StepBack] = []
    for step in way {
      if case .keys = step { return nil }
      guard let target = binding.model.columns[step.column].target,
        let property = binding.properties[step.column]
      else { return nil }
      binding = session.requiredBinding(of: target)
      guard let type = binding.stored else { return nil }
      if type.isEmbedded { continue }
      let back: StepBack =
        if let origin = property.origin {
          .links(of: origin, ofType: type.id)
        } else {
          .sources(of: property.id, ofType: owner, to: type.id)
        }
      stepsBack.append(back)
      owner = type.id
    }
    guard !binding.model.isEmbedded, !stepsBack.isEmpty else { return nil }
    type = owner
    self.stepsBack = stepsBack
    var deciding = ObjectChangeSet.Properties()
    for column in columns {
      if let ordinal = binding.properties[column]?.ordinal { deciding.insert(ordinal) }
    }
    self.deciding = deciding
  }

  /// The rows that lead to some of the objects now.
  ///
  /// - Returns: `nil` where more than `limit` objects would have to be looked at, or where the way back is
  ///   not known.
  func rows(
    leadingTo changed: Set<UInt64>, limit: Int, _ catalog: Catalog, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64>? {
    var rows = changed
    for step in stepsBack.reversed() where !rows.isEmpty {
      guard
        let before = try step.rows(
          leadingTo: rows, limit: limit, catalog, in: transaction)
      else { return nil }
      rows = before
    }
    return rows
  }
}

/// One step back from objects to those that lead to them.
enum StepBack: Sendable, Hashable {
  /// To the objects of a type whose property leads to them, or that of an embedded object in them.
  case sources(of: UInt32, ofType: UInt32, to: UInt32)
  /// To the objects that a property of theirs leads to: they were reached as linking objects.
  case links(of: UInt32, ofType: UInt32)

  /// The rows that lead to some of others; `nil` where there are more than `limit`, or the way is not known.
  func rows(
    leadingTo rows: Set<UInt64>, limit: Int, _ catalog: Catalog, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64>? {
    guard rows.count <= limit else { return nil }
    var found: Set<UInt64> = []
    for row in rows {
      switch self {
      case .sources(let property, let type, let target):
        let reference = ObjectReference(type: target, row: row)
        try InverseEntry.forEach(to: reference, property, in: transaction) { (entry, value) in
          if value.sourceType == type { found.insert(entry.source) }
          return found.count <= limit
        }
      case .links(let property, let type):
        guard
          let targets = try catalog.targets(of: property, of: type, row: row, in: transaction)
        else { return nil }
        found.formUnion(targets)
      }
      if found.count > limit { return nil }
    }
    return found
  }
}

extension Catalog {
  /// The rows that a property of an object leads to; `nil` where it is not a property of the type itself.
  func targets(
    of property: UInt32, of type: UInt32, row: UInt64, in transaction: Transaction
  ) throws(StorageError) -> [UInt64]? {
    guard let type = types[type], let property = type.properties.first(where: { $0.id == property })
    else { return nil }
    var rows: [UInt64] = []
    func add(_ value: StoredValue) {
      if case .object(let reference) = value { rows.append(reference.row) }
    }
    try withRecord(row, of: type, in: transaction) { (record) throws(StorageError) in
      guard let slot = try type.slot(of: property.id, in: record) else { return }
      guard property.type.isCollection else {
        return add(try record.value(slot, property.type, in: transaction))
      }
      let reader = CollectionReader(
        key: CollectionKey(type: type.id, row: row, property: property.id), property: property,
        form: try record.collection(slot, in: transaction), transaction: transaction)
      try reader.forEach {
        add($0)
        return true
      }
    }
    return rows
  }

  /// Calls `body` with the record of a row, if there is one.
  func withRecord(
    _ row: UInt64, of type: StoredType, in transaction: Transaction,
    _ body: (RecordView) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let table = try transaction.table(named: type.tableName),
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return }
    try body(unsafe try type.view(of: bytes))
  }
}
