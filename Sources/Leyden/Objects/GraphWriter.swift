import LeydenStorage

/// Adds objects with everything that they lead to, cycles and shared objects included.
///
/// First all of them are found, and get their rows; then they are written, each once, with links to rows
/// that are known. Nothing is written where that cannot be done.
package final class GraphWriter {
  /// An object that is written.
  private struct Planned {
    /// What gives the values.
    let source: Object
    /// What is live afterwards: the source itself, or a copy of one of another store.
    let object: Object
    let binding: TypeBinding
    let row: UInt64
    let isNew: Bool
  }

  let session: Session
  let writer: Writer
  let policy: UpdatePolicy
  private var planned: [Planned] = []
  private var positions: [AnyHashable: Int] = [:]
  /// How many of the planned objects are looked through, and written.
  private var (searched, written) = (0, 0)
  /// What embedded objects are written into now.
  var owner: EmbeddedOwner?
  /// Those that were unmanaged, outer ones before inner ones.
  var embedded: [EmbeddedPlace] = []
  /// Whether all elements of the owner's collection are written: those that are in it already stay.
  var replacesContents = false
  /// The numbers of those.
  var kept: Set<UInt64> = []
  /// What lies where embedded objects are written: those keep its numbers, so that what is equal is no change.
  var before: StoredContents?
  /// The embedded objects that are looked through now, one within the other.
  var nested: Set<ObjectIdentifier> = []
  /// How deep the live object lies that they are written into.
  var ownerDepth = 0
  /// The rows of new objects with primary keys.
  var rowsByKey: [UInt32: [StoredValue: UInt64]] = [:]
  /// Those of them that are made of values, and are not yet.
  var reserved: Set<UInt64> = []
  /// Values for rows that others are made of: given to them at last.
  var repeated: [(values: PropertyValues, row: UInt64)] = []

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
      try update(existing, from: object, binding)
      row = existing
    } else {
      row = try writer.insert(object, binding)
    }
    session.attach(object, binding, type: binding.stored?.id ?? 0, row: row)
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

  // MARK: Writing

  /// Writes what was planned, and makes it live.
  package func write() throws(StoreError) {
    try search()
    let new = planned[written...]
    written = planned.count
    for next in new {
      owner = .object(next.source)
      if next.isNew {
        try insert(next)
      } else {
        try update(next.row, from: next.source, next.binding)
      }
    }
    for next in new {
      session.attach(
        next.object, next.binding, type: next.binding.stored?.id ?? 0, row: next.row)
    }
    for place in embedded { place.attach() }
    embedded = []
  }

  private func insert(_ next: Planned) throws(StoreError) {
    let model = next.binding.model
    let key = Writer.Key(type: next.binding.stored?.id ?? 0, row: next.row)
    let place = try writer.place(of: next.binding)
    var references: [Int: StoredValue] = [:]
    for column in model.columns where !column.type.isScalar || column.type == .anyValue {
      guard column.type != .linkingObjects,
        let property = next.binding.properties[Int(column.number)]
      else { continue }
      references[Int(column.number)] = try stored(
        column, of: next.source, model, property, key, place)
    }
    try writer.insert(next.row, next.binding) { (column, slot, record) throws(StorageError) in
      if let value = references[column] {
        try record.set(value, as: model.columns[column].type, in: slot)
      } else {
        try model.encode(column, of: next.source, in: slot, of: record)
      }
    }
  }

  /// The value of a column that may hold objects, or is a collection; links and entries in the table are
  /// made for it.
  private func stored(
    _ column: ModelType.Column, of object: PersistedObject, _ model: ModelType,
    _ property: Catalog.StoredProperty, _ key: Writer.Key, _ place: Writer.Place
  ) throws(StoreError) -> StoredValue {
    guard let value = model.dynamicValue(of: column, in: object) else { return .null }
    guard let contents = (value as? any PersistedCollection)?.contents else {
      let value = try stored(value, column, property)
      try addLinks(of: value, property, key)
      return value
    }
    let collection = WrittenCollection(key: key, place: place, property: property)
    let form = try writer.make(collection, try stored(contents, column, property))
    return form.slot.map { .structure($0) } ?? .null
  }

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

  /// Gives a row the values of an object; what is equal already is no change.
  private func update(
    _ row: UInt64, from object: Object, _ binding: TypeBinding
  ) throws(StoreError) {
    let model = binding.model
    for column in model.columns where !column.isPrimaryKey && column.type != .linkingObjects {
      let number = Int(column.number)
      guard let property = binding.properties[number] else { continue }
      before = try embedded(in: property, of: row, binding)
      defer { before = nil }
      if column.type.isScalar, column.type != .anyValue {
        try writer.set(model.value(of: column, in: object), column: number, row: row, binding)
      } else if column.type.isCollection {
        guard
          let contents = (model.dynamicValue(of: column, in: object) as? any PersistedCollection)?
            .contents
        else { continue }
        try writer.replace(
          try writer.collection(number, row: row, binding),
          by: try stored(contents, column, property)
        )
      } else {
        let value = model.dynamicValue(of: column, in: object)
        try writer.set(
          try value.map { (value) throws(StoreError) in try stored(value, column, property) }
            ?? .null, column: number, row: row, binding)
      }
    }
  }
}

/// What a collection holds, as it is stored.
enum StoredContents {
  /// The elements of a list or a set.
  case elements([StoredValue])
  /// The entries of a map.
  case entries([(key: String, value: StoredValue)])

  /// One of the elements.
  func element(_ position: Int) -> StoredContents? {
    guard case .elements(let elements) = self, position < elements.count else { return nil }
    return .elements([elements[position]])
  }

  /// The value of a key.
  func value(of key: String) -> StoredContents? {
    guard case .entries(let entries) = self else { return nil }
    return entries.first { $0.key == key }.map { .elements([$0.value]) }
  }
}
