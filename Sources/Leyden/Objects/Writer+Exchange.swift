import LeydenStorage

/// Embedded objects that a change deletes, because their place goes or others take it: what their delete rules
/// do with what they led to.
extension Writer {
  /// What a property holds, or some places of its collection, before a change and after it.
  struct Exchange {
    let property: Catalog.StoredProperty
    let old: [StoredValue]
    let new: [StoredValue]
  }

  /// Whether something is to be done when embedded objects of a property are deleted.
  func followsRules(in property: Catalog.StoredProperty) -> Bool {
    property.holdsEmbedded && catalog.rulesInside.contains(property.id) && !isExchanging
  }

  /// Makes a change, and deletes what belonged to embedded objects that are there no more.
  ///
  /// They are told by their numbers, so that one that moves or is changed is not deleted. What the change
  /// lets another one lead to has moved over: it stays. A change within another one is a part of that.
  ///
  /// - Throws: ``StoreError/deleteDenied(_:)`` where a rule forbids it; nothing is changed then.
  func exchange<Result>(
    _ exchanges: [Exchange], _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard !isExchanging, !exchanges.isEmpty else { return try body() }
    let lost = try storage { () throws(StorageError) -> Set<Link> in try self.lost(exchanges) }
    let owned = lost.filter { catalog.deleteRules[$0.property] == .cascade }.map(\.target)
    let keys = Set(owned).map { Key(type: $0.type, row: $0.row) }
      .sorted { ($0.type, $0.row) < ($1.type, $1.row) }
    let held = lost.filter { catalog.deleteRules[$0.property] == .deny }
    try checkDenials(of: held, deleting: keys)
    isExchanging = true
    defer { isExchanging = false }
    let result = try body()
    guard !keys.isEmpty else { return result }
    do throws(StoreError) { try delete(keys) } catch {
      // A rule that forbids it only now that all is changed: that stays in no store.
      poison(error)
      throw error
    }
    return result
  }

  /// Makes a change of a collection that takes elements out of it, or puts others in their place.
  ///
  /// What lies in an embedded object is changed when that is written.
  func exchange<Result>(
    _ old: @autoclosure () throws(StorageError) -> [StoredValue],
    by new: @autoclosure () -> [StoredValue] = [], in collection: WrittenCollection,
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard collection.draft == nil, followsRules(in: collection.property) else { return try body() }
    let exchange = Exchange(
      property: collection.property,
      old: try storage { () throws(StorageError) in try old() }, new: new())
    return try self.exchange([exchange], body)
  }

  /// A link of an embedded object.
  struct Link: Hashable {
    let property: UInt32
    let target: ObjectReference
  }

  /// The links, with a delete rule, of embedded objects that exchanges delete, and that no other one takes over.
  private func lost(_ exchanges: [Exchange]) throws(StorageError) -> Set<Link> {
    var old: [UInt64: Set<Link>] = [:]
    var new: [UInt64: Set<Link>] = [:]
    for exchange in exchanges {
      for value in exchange.old { try collect(value, exchange.property, &old) }
      for value in exchange.new { try collect(value, exchange.property, &new) }
    }
    var taken: Set<ObjectReference> = []
    for (number, links) in new {
      taken.formUnion(links.subtracting(old[number] ?? []).map(\.target))
    }
    var lost: Set<Link> = []
    for (number, links) in old where new[number] == nil {
      lost.formUnion(
        links.filter { catalog.deleteRules[$0.property] != nil && !taken.contains($0.target) })
    }
    return lost
  }

  /// Collects the links of an embedded object, and of each that lies in it, by their numbers.
  private func collect(
    _ value: StoredValue, _ property: Catalog.StoredProperty, _ links: inout [UInt64: Set<Link>]
  ) throws(StorageError) {
    guard case .structure(let bytes) = value,
      let type = property.target.flatMap({ catalog.types[$0] })
    else { return }
    var own: Set<Link> = []
    var inner: [(value: StoredValue, property: Catalog.StoredProperty)] = []
    unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      let record = unsafe try type.view(of: bytes)
      for property in type.linking {
        guard let slot = try type.slot(of: property.id, in: record) else { continue }
        let value = try record.value(slot, property.type, in: transaction)
        if property.holdsEmbedded {
          inner += try objects(in: value, property).map { ($0, property) }
        } else {
          try catalog.forEachLink(of: property, value, in: transaction) {
            own.insert(Link(property: $0, target: $1))
          }
        }
      }
    }
    links[embeddedNumber(of: bytes)] = own
    for next in inner { try collect(next.value, next.property, &links) }
  }

  /// The embedded objects in a property of an embedded object.
  private func objects(
    in value: StoredValue, _ property: Catalog.StoredProperty
  ) throws(StorageError) -> [StoredValue] {
    guard property.type != .embedded, case .structure(let bytes) = value else { return [value] }
    return try CollectionReader(
      key: nil, property: property, form: CollectionForm(bytes), transaction: transaction
    ).elements()
  }
}
