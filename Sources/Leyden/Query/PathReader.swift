import LeydenStorage

/// Reads what a step leads to from records of one type, without making objects.
struct PathReader {
  /// One thing that a step leads to.
  enum Reached {
    /// Nothing: a link that is nil, a key that a map does not have.
    case nothing
    /// A value, or an object whose properties nobody asked for.
    case value(StoredValue)
    /// An object.
    case object(StoredRecord)
  }

  /// The type of the objects that the step leads to; `nil` where it leads to values.
  let target: TypeBinding?
  private let step: PathStep
  private let binding: TypeBinding
  /// The property; `nil` where the file does not have it, and so no object has anything there.
  private let property: Catalog.StoredProperty?
  let session: Session
  private var rule: LongKey { session.core.longKey }

  /// Prepares a step from objects of a bound type.
  init(_ step: PathStep, _ binding: TypeBinding, _ session: Session) {
    self.step = step
    self.binding = binding
    let column = binding.model.columns[step.column]
    property = binding.properties[step.column]
    self.session = session
    if case .keys = step {
      target = nil
    } else {
      target = column.target.map { session.requiredBinding(of: $0) }
    }
  }

  /// Calls `body` with what the step leads to, until it returns false; with ``Reached/nothing`` where it
  /// leads to one thing and that is missing.
  ///
  /// `record` is that of an object of the type, with its row; records of objects are looked up where
  /// `readsObjects`.
  func forEach(
    of record: StoredRecord, readsObjects: Bool, in transaction: Transaction,
    _ body: (Reached) throws(StorageError) -> Bool
  ) throws(StorageError) {
    func reach(_ value: StoredValue) throws(StorageError) -> Bool {
      try self.reach(value, readsObjects, transaction, body)
    }
    guard let property else {
      if step.leadsToOne { _ = try body(.nothing) }
      return
    }
    switch step {
    case .one(let column):
      _ = try reach(try record.value(column, in: transaction))
    case .each where property.type == .linkingObjects:
      guard let origin = property.origin, let type = binding.stored?.id else { return }
      let owner = ObjectReference(type: type, row: record.row)
      try InverseEntry.forEach(to: owner, origin, in: transaction) {
        (entry, _) throws(StorageError) in
        try reach(.object(ObjectReference(row: entry.source)))
      }
    case .each:
      try collection(property, of: record, transaction).forEach {
        (value) throws(StorageError) in try reach(value)
      }
    case .keys:
      try collection(property, of: record, transaction).forEachEntry {
        (key, _) throws(StorageError) in try body(.value(.string(key)))
      }
    case .entry(_, let key):
      let value = try collection(property, of: record, transaction).value(forKey: key, rule)
      _ = try reach(value ?? .null)
    }
  }

  /// Whether it leads to values of any type.
  var isOfAnyValues: Bool { property?.element == .anyValue }

  /// The number of things that the step leads to.
  func count(
    of record: StoredRecord, in transaction: Transaction
  ) throws(StorageError) -> Int {
    if let property, !step.leadsToOne, property.type != .linkingObjects {
      return try collection(property, of: record, transaction).count()
    }
    var count = 0
    try forEach(of: record, readsObjects: false, in: transaction) { (reached) in
      if case .value = reached { count += 1 }
      return true
    }
    return count
  }

  private func collection(
    _ property: Catalog.StoredProperty, of record: StoredRecord, _ transaction: Transaction
  ) throws(StorageError) -> CollectionReader {
    let key = binding.stored.flatMap { type in
      type.isEmbedded
        ? nil : CollectionKey(type: type.id, row: record.row, property: property.id)
    }
    return CollectionReader(
      key: key, property: property,
      form: try record.view.collection(record.slot(step.column), in: transaction),
      transaction: transaction)
  }

  /// Calls `body` with what an element, or the value of a property, stands for.
  func reach(
    _ value: StoredValue, _ readsObjects: Bool, _ transaction: Transaction,
    _ body: (Reached) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch value {
    case .null: return try body(target == nil && !step.leadsToOne ? .value(.null) : .nothing)
    case .object(let reference):
      guard readsObjects, let target else { return try body(.value(value)) }
      guard let table = try target.table(in: transaction),
        let bytes = unsafe try transaction.value(forRow: reference.row, in: table)
      else { return try body(.nothing) }
      return try body(.object(unsafe try target.record(bytes, row: reference.row)))
    case .structure(let bytes):
      guard let target else { return try body(.nothing) }
      return unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        try body(.object(unsafe try target.record(bytes)))
      }
    default: return try body(.value(value))
    }
  }
}

extension PathReader {
  /// Compiles a condition on what the step leads to: on some of it where that may be many.
  func test(_ condition: Expression) -> RowTest {
    let (test, readsObjects) = reachedTest(condition)
    return { (record, transaction) throws(StorageError) in
      var holds = false
      try forEach(of: record, readsObjects: readsObjects, in: transaction) {
        (reached) throws(StorageError) in
        holds = try test(reached, transaction)
        return !holds
      }
      return holds
    }
  }

  /// Compiles how many things the step leads to that fulfil a condition.
  func counter(
    _ condition: Expression
  ) -> (StoredRecord, Transaction) throws(StorageError) -> Int {
    if condition == .constant(true) {
      return { (record, transaction) throws(StorageError) in
        try count(of: record, in: transaction)
      }
    }
    let (test, readsObjects) = reachedTest(condition)
    return { (record, transaction) throws(StorageError) in
      var count = 0
      try forEach(of: record, readsObjects: readsObjects, in: transaction) {
        (reached) throws(StorageError) in
        if try test(reached, transaction) { count += 1 }
        return true
      }
      return count
    }
  }

  /// A condition on one thing, and whether it asks for properties of objects.
  func reachedTest(
    _ condition: Expression
  ) -> ((Reached, Transaction) throws(StorageError) -> Bool, readsObjects: Bool) {
    let answerOfNothing = condition.answerOfNothing
    let ofValue = condition.compiledForValue(of: binding.store)
    guard let target, condition.columns.contains(where: { $0 != Expression.itself }) else {
      return (
        { (reached, _) throws(StorageError) in
          switch reached {
          case .nothing: answerOfNothing
          case .value(let value): ofValue(value)
          case .object(let record): ofValue(record.reference)
          }
        }, false
      )
    }
    let ofObject = condition.compiled(for: target, in: session)
    return (
      { (reached, transaction) throws(StorageError) in
        switch reached {
        case .nothing: answerOfNothing
        case .value(let value): ofValue(value)
        case .object(let record): try ofObject(record, transaction)
        }
      }, true
    )
  }

  /// Compiles what is made of each thing that the step leads to.
  func values(_ operand: Operand) -> RowValues {
    let ofNothing = operand.valuesOfNothing
    let ofObject = target.map { operand.compiled(for: $0, in: session) }
    let readsObjects = operand.columns.contains { $0 != Expression.itself }
    return { (record, transaction, body) throws(StorageError) in
      var goesOn = true
      try forEach(of: record, readsObjects: readsObjects, in: transaction) {
        (reached) throws(StorageError) in
        switch reached {
        case .nothing: goesOn = try ofNothing.forEachUntilFalse(body)
        case .value(let value):
          goesOn = try operand.values(of: value, in: binding.store).forEachUntilFalse(body)
        case .object(let record):
          if let ofObject { goesOn = try ofObject(record, transaction, body) }
        }
        return goesOn
      }
      return goesOn
    }
  }
}

extension [StoredValue] {
  /// Calls `body` with each until it returns false.
  ///
  /// - Returns: What it returned last; true where there is no value.
  func forEachUntilFalse(
    _ body: (StoredValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    for value in self where try !body(value) { return false }
    return true
  }
}

extension StoredRecord {
  /// What refers to the record's object.
  var reference: StoredValue { .object(ObjectReference(row: row)) }
}
