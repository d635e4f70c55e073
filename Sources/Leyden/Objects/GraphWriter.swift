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
    /// What each column gets of one that is there.
    var values: [NewValue?] = []
  }

  let session: Session
  let writer: Writer
  let policy: UpdatePolicy
  /// The objects that are written, as they were found.
  var planned: [Planned] = []
  /// Where each of them is among those.
  var positions: [AnyHashable: Int] = [:]
  /// How many of the planned objects are looked through.
  var searched = 0
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
  /// The numbers of live ones among them: nothing else gets these.
  var staying: Set<UInt64> = []
  /// What lies where embedded objects are written: those keep its numbers, so that what is equal is no change.
  var before: StoredContents?
  /// The embedded objects that are looked through now, one within the other.
  var nested: Set<ObjectIdentifier> = []
  /// How many values for embedded objects are looked through now, one within the other.
  var nestedValues = 0
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
  /// Other stores of which objects are copied: each of one version, whoever writes to it meanwhile.
  private var origins: [Session] = []

  /// Makes ready to add objects within the session's running write.
  package init(_ session: Session, _ writer: Writer, _ policy: UpdatePolicy) {
    self.session = session
    self.writer = writer
    self.policy = policy
  }

  deinit { for origin in origins { origin.unpin() } }

  /// Keeps the version of the store that an object of another one is read in.
  ///
  /// - Throws: ``StoreError/invalidatedObject(_:)`` where that store is closed.
  func keepVersion(of object: PersistedObject) throws(StoreError) {
    guard let row = object.access as? ManagedRow, row.session.core !== session.core,
      !origins.contains(where: { $0 === row.session })
    else { return }
    guard row.exists else { throw .invalidatedObject(object.modelType.name) }
    try row.session.pin()
    origins.append(row.session)
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
      try update(existing, from: object, binding, [])
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
}
