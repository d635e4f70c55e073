import LeydenStorage

/// What was found is written: first it is known what each property gets, then delete rules are asked, then
/// all is written.
extension GraphWriter {
  /// What a column gets.
  enum NewValue {
    case value(StoredValue)
    /// What a collection gets.
    case contents(StoredContents)

    var values: [StoredValue] {
      switch self {
      case .value(let value): [value]
      case .contents(let contents): contents.values
      }
    }
  }

  /// A change of an object that is there.
  struct Change {
    let row: ManagedRow
    let column: Int
    let new: NewValue
  }

  /// An object that is made of values.
  struct Made {
    let row: UInt64
    let binding: TypeBinding
    let values: [Int: NewValue]
  }

  /// Writes what was planned, and makes it live.
  ///
  /// - Throws: ``StoreError/deleteDenied(_:)`` where a rule forbids it, before anything is written.
  package func write() throws(StoreError) {
    try search()
    defer {
      (made, exchanges, embedded) = ([], [:], [])
      changes.removeAll(keepingCapacity: true)
    }
    for position in planned.indices[written...] where !planned[position].isNew {
      planned[position].values = try newValues(of: planned[position])
    }
    try writer.exchange(Array(exchanges.values)) { () throws(StoreError) in
      for next in made { try insert(next) }
      for next in planned[written...] {
        owner = .object(next.source)
        if next.isNew {
          try insert(next)
        } else {
          try update(next.row, from: next.source, next.binding, next.values)
        }
      }
      for change in changes { try make(change) }
    }
    for next in planned[written...] {
      session.attach(next.object, next.binding, row: next.row)
    }
    for place in embedded { place.attach() }
    written = planned.count
  }

  /// Notes what a property of a row gets in place of what it holds now.
  func noteExchange(
    of property: Catalog.StoredProperty, in row: UInt64, _ binding: TypeBinding, by new: NewValue
  ) throws(StoreError) {
    guard writer.followsRules(in: property) else { return }
    let old = try embedded(in: property, of: row, binding)?.values ?? []
    let key = CollectionKey(type: binding.stored?.id ?? 0, row: row, property: property.id)
    exchanges[key] = Writer.Exchange(property: property, old: old, new: new.values)
  }

  // MARK: New objects

  private func insert(_ next: Planned) throws(StoreError) {
    let model = next.binding.model
    let place = try writer.place(of: next.binding)
    let key = Writer.Key(type: place.type.id, row: next.row)
    var references: [Int: StoredValue] = [:]
    for column in model.columns where column.needsNewValue {
      let number = Int(column.number)
      guard let property = next.binding.properties[number] else { continue }
      let new = try newValue(column, of: next.source, model, property)
      references[number] = try new.map { (new) throws(StoreError) in
        try enter(new, property, key, place)
      }
    }
    try writer.insert(next.row, next.binding) { (column, slot, record) throws(StorageError) in
      if let value = references[column] {
        try record.set(value, as: model.columns[column].type, in: slot)
      } else {
        try model.encode(column, of: next.source, in: slot, of: record)
      }
    }
  }

  private func insert(_ next: Made) throws(StoreError) {
    let binding = next.binding
    let place = try writer.place(of: binding)
    let key = Writer.Key(type: place.type.id, row: next.row)
    var values: [Int: StoredValue] = [:]
    for (number, new) in next.values {
      guard let property = binding.properties[number] else { continue }
      values[number] = try enter(new, property, key, place)
    }
    try writer.insert(next.row, binding) { (column, slot, record) throws(StorageError) in
      try record.set(values[column] ?? .null, as: binding.model.columns[column].type, in: slot)
    }
  }

  /// Makes the links and the entries in the table of what a column of a new row gets.
  ///
  /// - Returns: What the row's record says of it.
  private func enter(
    _ new: NewValue, _ property: Catalog.StoredProperty, _ key: Writer.Key, _ place: Writer.Place
  ) throws(StoreError) -> StoredValue {
    switch new {
    case .value(.null): return .null
    case .value(let value):
      try addLinks(of: value, property, key)
      return value
    case .contents(let contents):
      let collection = WrittenCollection(key: key, place: place, property: property)
      return try writer.make(collection, contents).slot.map { .structure($0) } ?? .null
    }
  }

  private func addLinks(
    of value: StoredValue, _ property: Catalog.StoredProperty, _ key: Writer.Key
  ) throws(StoreError) {
    guard property.mayLink || property.type == .embedded else { return }
    try writer.storage { () throws(StorageError) in
      try writer.catalog.forEachLink(of: property, value, in: writer.transaction) {
        (property, target) throws(StorageError) in
        try writer.addLink(to: target, property, from: key)
      }
    }
  }

  // MARK: Objects that are there

  /// What the columns of a planned object get that may hold objects, or are collections.
  private func newValues(of next: Planned) throws(StoreError) -> [NewValue?] {
    owner = .object(next.source)
    var values = [NewValue?](repeating: nil, count: next.binding.model.columns.count)
    for column in next.binding.model.columns where column.needsNewValue {
      guard let property = next.binding.properties[Int(column.number)] else { continue }
      before = try embedded(in: property, of: next.row, next.binding)
      defer { before = nil }
      let new = try newValue(column, of: next.source, next.binding.model, property)
      guard let new else { continue }
      values[Int(column.number)] = new
      try noteExchange(of: property, in: next.row, next.binding, by: new)
    }
    return values
  }

  /// What a column gets that may hold objects, or is a collection; what it leads to is planned.
  func newValue(
    _ column: ModelType.Column, of object: PersistedObject, _ model: ModelType,
    _ property: Catalog.StoredProperty
  ) throws(StoreError) -> NewValue? {
    let value = model.dynamicValue(of: column, in: object)
    if column.type.isCollection {
      guard let contents = (value as? any PersistedCollection)?.contents else { return nil }
      return .contents(try stored(contents, column, property))
    }
    return .value(try stored(value, column, property))
  }

  /// Gives a row the values of an object; what is equal already is no change.
  func update(
    _ row: UInt64, from object: Object, _ binding: TypeBinding, _ values: [NewValue?]
  ) throws(StoreError) {
    let model = binding.model
    for column in model.columns where !column.isPrimaryKey {
      let number = Int(column.number)
      guard binding.properties[number] != nil else { continue }
      if !column.needsNewValue {
        if column.type == .linkingObjects { continue }
        try writer.set(model.value(of: column, in: object), column: number, row: row, binding)
      } else if let new = values[number] {
        switch new {
        case .value(let value): try writer.set(value, column: number, row: row, binding)
        case .contents(let contents):
          try writer.replace(try writer.collection(number, row: row, binding), by: contents)
        }
      }
    }
  }

  private func make(_ change: Change) throws(StoreError) {
    switch change.new {
    case .value(let value): try change.row.write(value, column: change.column, writer)
    case .contents(let contents):
      try change.row.change(column: change.column, writer) { (collection) throws(StoreError) in
        try writer.replace(collection, by: contents)
      }
    }
  }
}

extension ModelType.Column {
  /// Whether what it gets has to be made of what an object holds: links, embedded objects, collections.
  var needsNewValue: Bool {
    type != .linkingObjects && (!type.isScalar || type == .anyValue)
  }
}
