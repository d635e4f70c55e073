public import CLeyden

// SAFETY: `row` is owned by the object that the wrapper lies in, through its `RowAccess`, and is set
// and cleared together with it.
/// Marks a model's property as stored.
///
///     @Persisted(primaryKey: true) var identifier: String
///     @Persisted var title = ""
///     @Persisted var pinned: Bool?
///
/// Without a default value, an unmanaged object starts with the type's empty value: 0, false, "",
/// nil, the reference date. In a managed object the property reads the store. Setting it there
/// outside a write stops the program with a message that says so.
///
/// Setting a value that is stored as the same bytes is no change; 0 and −0, and two spellings of "é",
/// are equal in queries but stored as they are.
///
/// - Complexity: Reading a managed property within `store.read`, a write or a callback is one load
///   once the object's record was located, and O(length) for strings and bytes.
@safe
@frozen
@propertyWrapper
public struct Persisted<Value: Persistable> {
  // The object owns the row state; nil while it is unmanaged. Row and column come first: the
  // library finds a wrapper inside an object by looking for the two.
  @usableFromInline var row: UnsafeMutablePointer<leyden_row>?
  @usableFromInline var column: Int32
  @usableFromInline var value: Value

  /// Declares a stored property with its default value.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default, evaluated once for each new object.
  ///   - primaryKey: Whether the property identifies an object among those of its type.
  ///   - indexed: Whether an index serves equality, ranges, prefixes and sorting.
  ///   - unique: Whether no two objects may have the same value, nil excepted; checked at the end of
  ///     each write. Implies an index.
  ///   - index: An index over what is in a text, beside the others.
  ///   - deleteRule: What becomes of the objects that the property leads to when its owner is deleted.
  @inlinable
  public init(
    wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool = false,
    indexed: Bool = false, unique: Bool = false, index: PropertyIndex? = nil,
    deleteRule: DeleteRule = .nullify
  ) {
    let thread = unsafe leyden_thread_state()
    if let bound = unsafe thread.pointee.binding.row {
      unsafe row = unsafe bound
      column = unsafe thread.pointee.binding.next
      value = unsafe Value.held(by: PersistedRow(bound), column: column)
      unsafe thread.pointee.binding.next += 1
      if unsafe thread.pointee.binding.discovery != nil {
        let kind: ColumnKind =
          primaryKey ? .primaryKey : unique ? .unique : indexed ? .indexed : .plain
        noteColumn(column, ColumnOptions(kind: kind, index: index, deleteRule: deleteRule)) {
          wrappedValue().storedValue
        }
      }
    } else {
      unsafe row = nil
      column = -1
      value = wrappedValue()
    }
  }

  /// Declares a stored property whose default is its type's empty value.
  ///
  /// - Parameters:
  ///   - primaryKey: Whether the property identifies an object among those of its type.
  ///   - indexed: Whether an index serves equality, ranges, prefixes and sorting.
  ///   - unique: Whether no two objects may have the same value, nil excepted.
  ///   - index: An index over what is in a text, beside the others.
  ///   - deleteRule: What becomes of the objects that the property leads to when its owner is deleted.
  @inlinable
  public init(
    primaryKey: Bool = false, indexed: Bool = false, unique: Bool = false,
    index: PropertyIndex? = nil, deleteRule: DeleteRule = .nullify
  ) {
    self.init(
      wrappedValue: Value.emptyValue, primaryKey: primaryKey, indexed: indexed, unique: unique,
      index: index, deleteRule: deleteRule)
  }

  init(originProperty: String, value: Value) {
    let thread = unsafe leyden_thread_state()
    guard let bound = unsafe thread.pointee.binding.row else {
      unsafe row = nil
      column = -1
      self.value = value
      return
    }
    unsafe row = unsafe bound
    column = unsafe thread.pointee.binding.next
    self.value = unsafe Value.held(by: PersistedRow(bound), column: column)
    unsafe thread.pointee.binding.next += 1
    noteColumn(column, ColumnOptions(kind: .plain, originProperty: originProperty)) { .null }
  }

  /// The property's value: the object's own while it is unmanaged, else the store's.
  public var wrappedValue: Value {
    @inlinable
    get {
      guard let row = unsafe row, !Value.isHandle else { return value }
      let place = unsafe PersistedRow(row)
      return place.isCurrent
        ? Value.load(from: place, column: column) : readDistantly(from: place, column: column)
    }
    @inlinable
    set {
      guard let row = unsafe row else {
        // Whoever holds the object's collection sees what it is given.
        if Value.isHandle { return assign(newValue, to: value) }
        value = newValue
        return
      }
      unsafe newValue.save(to: PersistedRow(row), column: column)
    }
  }
}

/// Reads a column of a row that has to be located first.
@usableFromInline
func readDistantly<Value: Persistable>(from row: PersistedRow, column: Int32) -> Value {
  let access = row.access
  guard access.enter(reading: column) else { return Value.emptyValue }
  defer { access.leave() }
  return Value.load(from: row, column: column)
}

/// Sets a column, unless the object is still being made: then a user's `init` sets it, and the
/// store's value stands.
@usableFromInline
func setDistantly(_ value: StoredValue, in row: PersistedRow, column: Int32) {
  guard !isBeingMade(row) else { return }
  row.access.set(value, column: column)
}

/// Whether the object whose wrappers point at the row is still being made.
func isBeingMade(_ row: PersistedRow) -> Bool {
  unsafe leyden_thread_state().pointee.binding.making == row.state
}

/// Gives an unmanaged object's collection the elements of another one.
@usableFromInline
func assign<Value: Persistable>(_ newValue: Value, to value: Value) {
  guard let collection = value as? any PersistedCollection,
    let elements = newValue as? any PersistedCollection, elements !== collection
  else { return }
  collection.fill(from: elements, nil)
}

/// Tells the running discovery how a column was declared.
@usableFromInline
func noteColumn(
  _ column: Int32, _ options: ColumnOptions, makeDefault: @escaping () -> StoredValue
) {
  guard let discovery = unsafe leyden_thread_state().pointee.binding.discovery else { return }
  unsafe Unmanaged<Discovery>.fromOpaque(discovery).takeUnretainedValue()
    .note(column, options, makeDefault: makeDefault)
}

/// How a property was declared.
@usableFromInline
struct ColumnOptions {
  let kind: ColumnKind
  let index: PropertyIndex?
  let deleteRule: DeleteRule
  var originProperty: String?

  @usableFromInline
  init(
    kind: ColumnKind, index: PropertyIndex? = nil, deleteRule: DeleteRule = .nullify,
    originProperty: String? = nil
  ) {
    self.kind = kind
    self.index = index
    self.deleteRule = deleteRule
    self.originProperty = originProperty
  }
}

/// How a property is found.
@usableFromInline
enum ColumnKind {
  case plain, indexed, unique, primaryKey
}

/// What the library does with a wrapper inside an object whose static type it does not know.
///
/// Each takes the wrapper's address, which ``Discovery`` found.
protocol PersistedProperty: SendableMetatype {
  static var valueType: any Persistable.Type { get }
  static func storedValue(at address: UnsafeMutableRawPointer) -> StoredValue
  static func bind(
    at address: UnsafeMutableRawPointer, to row: UnsafeMutablePointer<leyden_row>, column: Int32)
  static func release(at address: UnsafeMutableRawPointer, value: StoredValue)
  static func value(at address: UnsafeMutableRawPointer) -> Any
  static func set(_ value: StoredValue, at address: UnsafeMutableRawPointer)
  /// - Returns: Whether the value is of the property's type.
  static func put(_ value: Any?, at address: UnsafeMutableRawPointer) -> Bool
  /// Calls `body` with the address of a wrapper that is made for the call.
  static func withWrapper(
    of row: UnsafeMutablePointer<leyden_row>, column: Int32,
    _ body: (UnsafeMutableRawPointer) -> Void)
}

extension Persisted: PersistedProperty {
  static var valueType: any Persistable.Type { Value.self }

  static func storedValue(at address: UnsafeMutableRawPointer) -> StoredValue {
    unsafe address.assumingMemoryBound(to: Self.self).pointee.wrappedValue.storedValue
  }

  static func bind(
    at address: UnsafeMutableRawPointer, to row: UnsafeMutablePointer<leyden_row>, column: Int32
  ) {
    let wrapper = unsafe address.assumingMemoryBound(to: Self.self)
    unsafe wrapper.pointee.row = unsafe row
    unsafe wrapper.pointee.column = column
    if Value.isHandle,
      let collection = unsafe wrapper.pointee.value as? any PersistedCollection
    {
      unsafe collection.attach(to: PersistedRow(row), column: column)
    } else {
      unsafe wrapper.pointee.value = Value.emptyValue
    }
  }

  static func release(at address: UnsafeMutableRawPointer, value: StoredValue) {
    let wrapper = unsafe address.assumingMemoryBound(to: Self.self)
    unsafe wrapper.pointee.row = nil
    unsafe wrapper.pointee.column = -1
    unsafe wrapper.pointee.value = Value.make(from: value) ?? Value.emptyValue
  }

  static func value(at address: UnsafeMutableRawPointer) -> Any {
    unsafe address.assumingMemoryBound(to: Self.self).pointee.wrappedValue
  }

  static func set(_ value: StoredValue, at address: UnsafeMutableRawPointer) {
    guard let value = Value.make(from: value) else { return }
    unsafe address.assumingMemoryBound(to: Self.self).pointee.wrappedValue = value
  }

  static func put(_ value: Any?, at address: UnsafeMutableRawPointer) -> Bool {
    guard let value = value.map({ $0 as? Value }) ?? Value.make(from: .null) else { return false }
    unsafe address.assumingMemoryBound(to: Self.self).pointee.wrappedValue = value
    return true
  }

  static func withWrapper(
    of row: UnsafeMutablePointer<leyden_row>, column: Int32,
    _ body: (UnsafeMutableRawPointer) -> Void
  ) {
    var wrapper = Persisted(wrappedValue: Value.held(by: unsafe PersistedRow(row), column: column))
    unsafe wrapper.row = unsafe row
    wrapper.column = column
    unsafe withUnsafeMutablePointer(to: &wrapper) { unsafe body(UnsafeMutableRawPointer($0)) }
  }
}
