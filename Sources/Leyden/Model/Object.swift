import CLeyden

/// What objects and embedded objects have in common: properties that are read from a store.
///
/// Models inherit from ``Object`` or ``EmbeddedObject``.
open class PersistedObject {
  /// The way to the object's row; `nil` while it is unmanaged.
  package final var access: RowAccess?

  /// Makes an unmanaged object with the declared defaults.
  public required init() {
    access = nil
    let thread = unsafe leyden_thread_state()
    guard unsafe thread.pointee.binding.row != nil else { return }
    if unsafe thread.pointee.binding.type == typeAddress(Self.self) {
      unsafe thread.pointee.binding.row = nil
    } else {
      ModelType.of(Self.self).release(self)
    }
  }

  deinit { if access == nil { releaseLinks() } }

  /// The object's type as the library sees it.
  package final var modelType: ModelType { access?.model ?? ModelType.of(type(of: self)) }

  /// The name that stores know the type by.
  class var typeName: String { String(describing: Self.self) }
}

@available(*, unavailable)
extension PersistedObject: Sendable {}

/// The superclass of all models.
///
/// A model is a class whose stored properties are wrapped in ``Persisted``:
///
///     final class StoredNote: Object {
///       @Persisted(primaryKey: true) var identifier: String
///       @Persisted var title = ""
///     }
///
/// A new object is unmanaged: its values are its own. From `store.add(object)` on the same object is
/// live: every property reads what the store holds, and is changed inside a write only. A live
/// object stays in the isolation domain of its store; it is not `Sendable`.
///
/// Managed objects are equal when they are the same row of the same store, over all `Store`
/// instances; unmanaged ones when they are identical. So adding an object changes its hash: do not
/// add one while it is in a `Set`.
open class Object: PersistedObject, Persistable, Hashable {
  /// Makes an unmanaged object with the declared defaults.
  public required init() { super.init() }

  /// The name that stores know the type by: the class's own, without its module, unless a model
  /// overrides it.
  ///
  /// It keeps what is stored readable when the class gets another name, and tells two classes of one
  /// name apart. A store cannot be opened with two models of one stored name. It is asked for once.
  open class var storedName: String { String(describing: Self.self) }

  override final class var typeName: String { storedName }

  /// The indexes over several properties; none by default.
  open class var indexes: [CompoundIndex] { [] }

  /// Returns what ``description`` prints: the type's name and each property with its value.
  ///
  /// A model may override it. Links and collections are shown to a small depth, and long texts and
  /// collections are cut, so that it is never long.
  open func makeDescription() -> String {
    Describer.description(of: self)
  }

  /// Whether both are the same row, or the same unmanaged instance.
  public static func == (left: Object, right: Object) -> Bool {
    if left === right { return true }
    guard let identity = left.access?.identity else { return false }
    return identity == right.access?.identity
  }

  /// Hashes the row's identity, or the instance's while it is unmanaged.
  public func hash(into hasher: inout Hasher) {
    if let identity = access?.identity {
      hasher.combine(identity)
    } else {
      hasher.combine(ObjectIdentifier(self))
    }
  }
}

extension Object {
  /// A link, which a property holds as an optional.
  public static var propertyType: PropertyType? { .link }
  /// An object is not nil.
  public static var isOptional: Bool { false }
  /// The class itself.
  public static var targetType: AnyClass? { Self.self }
  /// A new unmanaged object.
  public static var emptyValue: Self { self.init() }
  /// A new unmanaged object: no property holds an object that is not optional.
  public static func load(from row: PersistedRow, column: Int32) -> Self { self.init() }
  /// The object that a column leads to.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Self? {
    guard let word = row.word(column) else { return nil }
    return row.access.object(column, row: word, Self.self) as? Self
  }
  /// Nil: an object is found by its store, not by its stored form alone.
  public static func make(from value: StoredValue) -> Self? { nil }
  /// What refers to the object in its own store; null while it is unmanaged.
  public var storedValue: StoredValue {
    guard let identity = access?.identity else { return .null }
    return .object(ObjectReference(row: identity.row))
  }
  /// Lets a column lead to the object, which is added where the store does not have it.
  public func save(to row: PersistedRow, column: Int32) {
    if !isBeingMade(row) { row.access.set(self, column: column) }
  }
}

/// The members that every model has, in a protocol extension so that a model may have properties of
/// the same names.
public protocol ObjectMembers: Object {}

extension Object: ObjectMembers {}

extension ObjectMembers {
  /// Whether the object belongs to a store.
  public var isManaged: Bool { access != nil }

  /// Whether the object was managed and its row is gone: deleted, rolled back, or its store closed.
  public var isInvalidated: Bool { access.map { !$0.exists } ?? false }

  /// Whether both are the same row of the same store.
  public func isSameObject(as other: Object?) -> Bool {
    guard let other, let identity = access?.identity else { return false }
    return identity == other.access?.identity
  }

  /// The object's type as the library sees it.
  public var objectSchema: ObjectSchema { modelType.schema }
}

extension Object: CustomStringConvertible {}

extension CustomStringConvertible where Self: Object {
  /// The type's name and each property with its value, or what the model makes of it.
  public var description: String { makeDescription() }
}

/// The address that tells one class from another on the construction path.
package func typeAddress(_ type: PersistedObject.Type) -> UnsafeRawPointer? {
  unsafe UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(type)))
}

/// Makes an object whose property wrappers point at `access`.
package func makeObject<Model: PersistedObject>(_ type: Model.Type, access: RowAccess) -> Model {
  let thread = unsafe leyden_thread_state()
  let outer = unsafe thread.pointee.binding
  unsafe thread.pointee.binding = unsafe leyden_binding(
    row: access.state, making: access.state, type: typeAddress(type), discovery: nil, next: 0)
  let object = type.init()
  unsafe thread.pointee.binding = unsafe outer
  object.access = access
  return object
}
