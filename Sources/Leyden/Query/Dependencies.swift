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

extension RelatedObjects {
  /// The objects at the end of a query's way from the rows of a type; `nil` as for a way of properties.
  init?(
    _ way: [PathStep], deciding columns: Set<Int>, from binding: TypeBinding, _ catalog: Catalog
  ) {
    var properties: [ModelType.Column] = []
    var model = binding.model
    for step in way {
      let column = model.columns[step.column]
      if case .keys = step { return nil }
      guard let target = column.targetModel else { return nil }
      properties.append(column)
      model = target
    }
    self.init(
      properties, deciding: columns.map { model.columns[$0] }, from: binding.stored,
      catalog)
  }
}
