import LeydenStorage

/// Adds objects with everything that they lead to, cycles and shared objects included.
///
/// First all of them are found, and get their rows; then they are written, each once, with links to rows
/// that are known. Nothing is written where that cannot be done.
package final class GraphWriter {
  /// An object that is written.
  struct Planned {
    /// What gives the values.
    let source: Object
    /// What is live afterwards: the source itself, or a copy of one of another store.
    let object: Object
    let binding: TypeBinding
    let row: UInt64
    let isNew: Bool
    /// What columns get of one that is there.
    var values: [Int: NewValue] = [:]
  }

  let session: Session
  let writer: Writer
  let policy: UpdatePolicy
  var planned: [Planned] = []
  private var positions: [AnyHashable: Int] = [:]
  /// How many of the planned objects are looked through.
  private var searched = 0
  /// How many of them are written.
  var written = 0
  /// What embedded objects are written into now.
  var owner: EmbeddedOwner?
  /// Those that were unmanaged, outer ones before inner ones.
  var embedded: [EmbeddedPlace] = []
  /// The positions of the owner's collection whose elements are written anew: those that are there already stay.
  var replaced: Range<Int>?
  /// The numbers of those.
  var kept: Set<UInt64> = []
  /// What lies where embedded objects are written: those keep its numbers, so that what is equal is no change.
  var before: StoredContents?
  /// The embedded objects that are looked through now, one within the other.
  var nested: Set<ObjectIdentifier> = []
  /// How deep the live object lies that they are written into.
  var ownerDepth = 0
  /// Rows of primary keys that are written now.
  var rowsByKey: [UInt32: [StoredValue: UInt64]] = [:]
  /// Those of them that are made of values, and are not yet.
  var reserved: Set<UInt64> = []
  /// Objects that are made of values.
  var made: [Made] = []
  /// Changes of objects that are there.
  var changes: [Change] = []
  /// What these, and planned objects that are there, take out of properties with delete rules inside.
  var exchanges: [CollectionKey: Writer.Exchange] = [:]

  /// Makes ready to add objects within the session's running write.
  package init(_ session: Session, _ writer: Writer, _ policy: UpdatePolicy) {
    self.session = session
    self.writer = writer
    self.policy = policy
  }

  /// Adds an object; returns it, or the live object that stands for it.
  package func add<Model: Object>(_ object: Model) throws(StoreError) -> Model {
    if object.access == nil, !(object is DynamicObject) {
      let binding = session.requiredBinding(of: type(of: object))
      if binding.model.hasOnlyValues { return try addAlone(object, binding) }
    }
    let reference = try plan(object)
    try write()
    if let live = object.access as? LiveRow, live.session === session { return object }
    let copy = positions[Self.key(of: object)].map { planned[$0].object }
    return copy as? Model ?? session.object(type(of: object), row: reference.row)
  }

  /// Adds an object that leads to no other.
  private func addAlone<Model: Object>(
    _ object: Model, _ binding: TypeBinding
  ) throws(StoreError) -> Model {
    let row: UInt64
    if let existing = try existingRow(of: object, binding) {
      try update(existing, from: object, binding, [:])
      row = existing
    } else {
      row = try writer.insert(object, binding)
    }
    session.attach(object, binding, row: row)
    return object
  }

  /// The row that has the object's primary key, where that is to be changed.
  private func existingRow(
    of object: Object, _ binding: TypeBinding
  ) throws(StoreError) -> UInt64? {
    guard policy != .error, let key = binding.model.primaryKey else { return nil }
    return try writer.row(ofPrimaryKey: binding.model.value(of: key, in: object), binding)
  }

  // MARK: Finding

  /// What identifies an object: its row in another store, or itself.
  private static func key(of object: Object) -> AnyHashable {
    object.access?.identity.map(AnyHashable.init) ?? AnyHashable(ObjectIdentifier(object))
  }

  /// Gives an object a row, unless it has one.
  func plan(_ object: Object) throws(StoreError) -> ObjectReference {
    let model = object.modelType
    if let access = object.access {
      guard access.exists else { throw .invalidatedObject(model.name) }
      if let identity = access.identity, identity.store == session.core.uuid {
        return ObjectReference(type: identity.type, row: identity.row)
      }
    }
    // One of another store: it cannot be copied without its class.
    guard !(object is DynamicObject) else { throw .wrongStore }
    let binding = try session.binding(for: model)
    let type = binding.stored?.id ?? 0
    let key = Self.key(of: object)
    if let position = positions[key] {
      return ObjectReference(type: type, row: planned[position].row)
    }
    let primaryKey = model.primaryKey.map { model.value(of: $0, in: object) }
    var existing: UInt64?
    if let primaryKey {
      existing = rowsByKey[type]?[primaryKey]
      if existing == nil { existing = try writer.row(ofPrimaryKey: primaryKey, binding) }
      if existing != nil, policy == .error {
        throw .duplicatePrimaryKey(type: model.name, key: primaryKey.description)
      }
    }
    let row = if let existing { existing } else { try writer.takeRow(of: binding) }
    // A row that was taken for values: they are given to it when the object is written.
    let isNew = existing == nil || reserved.remove(row) != nil
    if let primaryKey { rowsByKey[type, default: [:]][primaryKey] = row }
    positions[key] = planned.count
    planned.append(
      Planned(
        source: object, object: object.access == nil ? object : Swift.type(of: object).init(),
        binding: binding, row: row, isNew: isNew))
    return ObjectReference(type: type, row: row)
  }

  /// Gives one more copy of an object of another store a row.
  func planCopy(of object: Object) throws(StoreError) -> UInt64 {
    let binding = session.requiredBinding(of: type(of: object))
    let row = try writer.takeRow(of: binding)
    planned.append(
      Planned(
        source: object, object: type(of: object).init(), binding: binding, row: row, isNew: true))
    return row
  }

  /// Finds what the planned objects lead to.
  func search() throws(StoreError) {
    while searched < planned.count {
      let next = planned[searched]
      searched += 1
      try planReferences(of: next.source, next.binding.model)
    }
  }

  func planReferences(
    of object: PersistedObject, _ model: ModelType
  ) throws(StoreError) {
    for column in model.references {
      guard let value = model.dynamicValue(of: column, in: object) else { continue }
      try planReferences(in: value, of: column)
    }
  }

  private func planReferences(
    in value: Any, of column: ModelType.Column
  ) throws(StoreError) {
    switch value {
    case let object as Object:
      try check(object, for: column)
      _ = try plan(object)
    case let object as EmbeddedObject:
      try begin(object)
      defer { end(object) }
      try planReferences(of: object, object.modelType)
    case AnyValue.object(let object): _ = try plan(object)
    case let collection as any PersistedCollection:
      switch collection.contents {
      case .elements(let elements):
        for element in elements { try planReferences(in: element, of: column) }
      case .entries(let entries):
        for entry in entries {
          if let value = unwrapped(entry.value) { try planReferences(in: value, of: column) }
        }
      }
    default: break
    }
  }

  /// Looks whether an object is of the class that a column leads to: one of a subclass has a table of its own.
  private func check(_ object: Object, for column: ModelType.Column) throws(StoreError) {
    guard let target = column.target, target != DynamicObject.self, type(of: object) != target
    else { return }
    throw .invalidValue(
      "\(column.name) leads to \(target.typeName) and not to \(type(of: object))")
  }

  // MARK: Stored values

  /// The stored form of what a collection holds.
  func stored(
    _ contents: CollectionContents, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredContents {
    let old = before
    defer { before = nil }
    switch contents {
    case .elements(let elements):
      return .elements(
        try elements.enumerated().map { (position, element) throws(StoreError) in
          before = old?.element(position)
          return try stored(element, column, property)
        })
    case .entries(let entries):
      return .entries(
        try entries.map { (entry) throws(StoreError) in
          before = old?.value(of: entry.key)
          return (entry.key, try stored(entry.value, column, property))
        })
    }
  }

  /// The stored form of a value, or of an element, of a property; what it leads to is planned.
  func stored(
    _ value: Any, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredValue {
    switch column.element ?? column.type {
    case .link:
      guard let object = unwrapped(value) as? Object else { return .null }
      let reference = try plan(object)
      guard reference.type == property.target else {
        throw .invalidValue(
          "\(column.name) leads to \(column.target?.typeName ?? "") and not to \(type(of: object))")
      }
      return .object(ObjectReference(row: reference.row))
    case .anyValue:
      if case AnyValue.object(let object) = value { return .object(try plan(object)) }
      if let object = value as? Object { return .object(try plan(object)) }
      return (value as? any Persistable)?.storedValue ?? .null
    case .embedded:
      guard let object = unwrapped(value) as? EmbeddedObject else {
        return (value as? any Persistable)?.storedValue ?? .null
      }
      return .structure(try bytes(of: object, in: column))
    default: return (value as? any Persistable)?.storedValue ?? .null
    }
  }
}
