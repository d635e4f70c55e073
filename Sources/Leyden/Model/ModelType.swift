import CLeyden
import Foundation
import LeydenStorage

/// A model class as the library sees it: its properties in the order in which Swift initialises
/// them, and where each wrapper lies in an object.
package final class ModelType: Sendable {
  /// One property of the class.
  package struct Column: Sendable {
    /// The property's name.
    package let name: String
    /// The number that the wrapper takes when an object is made.
    package let number: Int32
    /// The stored type.
    package let type: PropertyType
    /// The stored type of a collection's elements or values.
    package let element: PropertyType?
    /// Whether a collection's elements or values may be nil.
    package let elementIsOptional: Bool
    /// The class of the objects that the property leads to.
    package let target: PersistedObject.Type?
    /// The model of those where it is known from the store only.
    var dynamicTarget: (@Sendable () -> ModelType?)?
    /// What becomes of those when the owner is deleted.
    package let deleteRule: DeleteRule
    /// The property of ``target`` whose links linking objects are.
    package let origin: String?
    /// Whether it may be nil.
    package let isOptional: Bool
    /// Whether it identifies an object.
    package let isPrimaryKey: Bool
    /// The index over its values, other than a primary key's.
    package let index: IndexKind?
    /// The index over what is in its texts.
    package let textIndex: PropertyIndex?
    /// Evaluates the declared default.
    package let makeDefault: @Sendable () -> StoredValue
    /// The wrapper's offset in an object.
    let offset: Int
    /// The wrapper's type.
    let wrapper: any PersistedProperty.Type
  }

  /// The class.
  package let objectType: PersistedObject.Type
  /// The name that the file knows the type by: ``Object/storedName``.
  package let name: String
  /// Whether objects of the class lie inside their owners.
  package let isEmbedded: Bool
  /// Whether the type is known from the store only: then objects have no memory for the properties.
  package let isDynamic: Bool
  /// The properties, by column number.
  package let columns: [Column]
  /// The properties in the order of their declaration, inherited ones first.
  ///
  /// Swift initialises the properties of a class before those of its superclass, so columns are
  /// numbered the other way round.
  package let declared: [Column]
  /// The indexes, other than the primary key's.
  package let indexes: [ModelIndex]
  /// What is wrong with the declaration, in words; empty where it can be stored.
  package let problems: [String]
  /// The property that identifies objects of the type, if one does.
  package let primaryKey: Column?
  /// The number of that property.
  package let primaryKeyColumn: Int?
  /// The properties that hold objects, or may.
  package let references: [Column]
  /// Whether no property leads to an object or holds more than one value.
  package let hasOnlyValues: Bool
  /// Where each column's wrapper is, and how to use it.
  private let wrappers: [(offset: Int, access: WrapperAccess)]

  /// Makes the model of a class, or of the type of a name in a store.
  init(
    objectType: PersistedObject.Type, dynamicName: String? = nil, declared: [Column],
    problems: [String] = []
  ) {
    self.objectType = objectType
    name = dynamicName ?? objectType.typeName
    isDynamic = dynamicName != nil
    isEmbedded = !(objectType is Object.Type)
    self.declared = declared
    let columns = declared.sorted { $0.number < $1.number }
    self.columns = columns
    references = columns.filter(\.mayHoldObjects)
    hasOnlyValues = columns.allSatisfy {
      $0.type == .linkingObjects || ($0.type.isScalar && $0.type != .anyValue)
    }
    primaryKey = columns.first(where: \.isPrimaryKey)
    primaryKeyColumn = primaryKey.map { Int($0.number) }
    wrappers = columns.map { ($0.offset, WrapperAccess.of($0.wrapper)) }
    var indexes = columns.flatMap { column in
      let kinds = [column.index, column.textIndex == .caseInsensitive ? .caseInsensitive : nil]
      return kinds.compactMap { kind in
        kind.map { ModelIndex(kind: $0, columns: [Int(column.number)]) }
      }
    }
    var problems = problems
    for compound in (objectType as? Object.Type)?.indexes ?? [] {
      let found = compound.properties.compactMap { name in
        columns.first { $0.name == name }.map { Int($0.number) }
      }
      if found.count == compound.properties.count,
        found.allSatisfy({ columns[$0].type.canBeIndexed }),
        (1...LongKey.maximumFieldCount).contains(found.count)
      {
        indexes.append(ModelIndex(kind: compound.isUnique ? .unique : .ordered, columns: found))
      } else {
        problems.append(
          "\(objectType): an index over \(compound.properties) is not over stored properties")
      }
    }
    if name.isEmpty { problems.append("\(objectType): its stored name is empty") }
    self.indexes = indexes
    self.problems = problems
  }

  /// What ``ObjectMembers/objectSchema`` shows.
  package var schema: ObjectSchema {
    ObjectSchema(
      name: name,
      properties: declared.map {
        Property(
          name: $0.name, type: $0.type, isOptional: $0.isOptional, isPrimaryKey: $0.isPrimaryKey,
          isIndexed: $0.isPrimaryKey || $0.index != nil || $0.textIndex != nil)
      })
  }

  /// The model of a class; found out once for each class.
  package static func of(_ type: PersistedObject.Type) -> ModelType {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    let model = Discovery(of: type).model()
    return known.withLock { types in
      if let first = types[key] { return first }
      types[key] = model
      return model
    }
  }

  private static let known = Locked<[ObjectIdentifier: ModelType]>([:])

  /// A property's value in an object, managed or not.
  package func value(of column: Column, in object: PersistedObject) -> StoredValue {
    unsafe withAddress(of: column, in: object) { unsafe column.wrapper.storedValue(at: $0) }
      ?? .null
  }

  /// Puts the value of a column of an object into a slot of a record.
  ///
  /// - Throws: ``StorageError/valueTooLarge(bytes:)``.
  func encode(
    _ column: Int, of object: PersistedObject, in slot: Int, of record: MutableRecord
  ) throws(StorageError) {
    let start = unsafe Unmanaged.passUnretained(object).toOpaque()
    unsafe try wrappers[column].access.encode(start + wrappers[column].offset, slot, record)
  }

  /// Makes an unmanaged object live: its wrappers point at `access` from now on.
  package func bind(_ object: PersistedObject, to access: RowAccess) {
    let start = unsafe Unmanaged.passUnretained(object).toOpaque()
    for column in wrappers.indices {
      unsafe wrappers[column].access.bind(
        start + wrappers[column].offset, access.state, Int32(column))
    }
    object.access = access
  }

  /// Gives the columns back that an object took while another one was being made, and its own
  /// defaults to it.
  ///
  /// This is how a model object that is made by a plain property's default stays out of the way.
  package func release(_ object: PersistedObject) {
    unsafe leyden_thread_state().pointee.binding.next -= Int32(columns.count)
    for column in columns {
      unsafe column.wrapper.release(
        at: address(of: column, in: object), value: column.makeDefault())
    }
  }

  func address(of column: Column, in object: PersistedObject) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(object).toOpaque() + column.offset
  }

  /// Calls `body` with the address of a column's wrapper; of one that is made for the call where the object
  /// has no memory for it.
  ///
  /// - Returns: `nil` for a column of a dynamic type in an object that belongs to no store.
  func withAddress<Result>(
    of column: Column, in object: PersistedObject, _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result? {
    guard isDynamic else { return unsafe body(address(of: column, in: object)) }
    guard let access = object.access else { return nil }
    var result: Result?
    unsafe column.wrapper.withWrapper(of: access.state, column: column.number) {
      result = unsafe body($0)
    }
    return result
  }

  /// The column that a key path from the class reads, or `nil` where it does not read just one.
  package func column(for path: AnyKeyPath) -> Column? {
    guard let columns = self.path(for: path)?.columns, columns.count == 1 else { return nil }
    return columns[0]
  }

  /// The properties that a key path from the class reads, one of the object that the one before leads to;
  /// `nil` where it reads something else.
  ///
  /// The path is followed on probes, once, and remembered.
  package func path(for path: AnyKeyPath) -> ColumnPath? {
    if let known = paths.withLock({ $0[path] }) { return known }
    guard let found = ColumnTracer.path(path, in: self) else { return nil }
    paths.withLock { $0[path] = found }
    return found
  }

  /// The column of a name.
  package func column(named name: String) -> Column? { columns.first { $0.name == name } }

  private let paths = Locked<[AnyKeyPath: ColumnPath]>([:])
}

/// Finds out what a class declares, by making one object of it and looking at that with `Mirror`.
@usableFromInline
final class Discovery {
  private let type: PersistedObject.Type
  private var notes: [Int32: Note] = [:]

  private struct Note {
    let options: ColumnOptions
    let makeDefault: () -> StoredValue
  }

  init(of type: PersistedObject.Type) { self.type = type }

  func note(
    _ column: Int32, _ options: ColumnOptions, makeDefault: @escaping () -> StoredValue
  ) {
    notes[column] = Note(options: options, makeDefault: makeDefault)
  }

  func model() -> ModelType {
    let access = unsafe RowAccess(current: neverCurrent)
    let probe = makeProbe(access)
    var declared: [ModelType.Column] = []
    var problems: [String] = []
    var mirror: Mirror? = Mirror(reflecting: probe)
    while let level = mirror, level.subjectType != Object.self,
      level.subjectType != EmbeddedObject.self
    {
      var columns: [ModelType.Column] = []
      for child in level.children {
        guard let label = child.label, let wrapper = child.value as? any PersistedProperty else {
          continue
        }
        // Swift keeps the wrapper of `title` in `_title`.
        let name = String(label.dropFirst())
        let wrapperType = Swift.type(of: wrapper)
        let number = wrapper.columnNumber
        let valueType = wrapperType.valueType
        guard let type = valueType.propertyType else {
          problems.append("\(self.type).\(name): \(valueType) cannot be stored")
          continue
        }
        guard let offset = offset(of: number, in: probe, access), let note = notes[number] else {
          problems.append("\(self.type).\(name): its place in the object was not found")
          continue
        }
        // SAFETY: the default is evaluated by whoever adds or makes an object, as Swift itself
        // would evaluate it in `init()`, on any thread.
        nonisolated(unsafe) let makeDefault = note.makeDefault
        let options = note.options
        columns.append(
          ModelType.Column(
            name: name, number: number, type: type,
            element: valueType.elementType?.propertyType,
            elementIsOptional: valueType.elementType?.isOptional ?? false,
            target: valueType.targetType as? PersistedObject.Type,
            deleteRule: options.deleteRule, origin: options.originProperty,
            isOptional: valueType.isOptional, isPrimaryKey: options.kind == .primaryKey,
            index: options.kind == .unique ? .unique : options.kind == .indexed ? .ordered : nil,
            textIndex: options.index,
            makeDefault: { unsafe makeDefault() }, offset: offset,
            wrapper: wrapperType))
      }
      declared = columns + declared
      mirror = level.superclassMirror
    }
    if Set(declared.map(\.number)) != Set(0..<Int32(declared.count)), problems.isEmpty {
      problems.append("\(self.type): its properties could not be told apart")
    }
    let names = Dictionary(grouping: declared, by: \.name)
    for name in names.keys.sorted() where names[name, default: []].count > 1 {
      problems.append("\(self.type).\(name): a superclass has a property of the same name")
    }
    problems += declared.compactMap { column in
      column.problem.map { "\(self.type).\(column.name): \($0)" }
    }
    problems += declared.compactMap { column in
      guard let index = column.textIndex else { return nil }
      if column.type != .string {
        return "\(self.type).\(column.name): only what is stored as a text has an index \(index)"
      }
      return index == .fullText ? "\(self.type).\(column.name): full-text indexes" : nil
    }
    if type is EmbeddedObject.Type {
      problems += declared.compactMap { column in
        if column.isPrimaryKey || column.index != nil || column.textIndex != nil {
          return "\(self.type).\(column.name): embedded objects have no primary key and no index"
        }
        return column.type == .linkingObjects
          ? "\(self.type).\(column.name): nothing links to embedded objects" : nil
      }
    }
    let keys = declared.filter(\.isPrimaryKey)
    if keys.count > 1 { problems.append("\(self.type): more than one primary key") }
    if let key = keys.first, !key.type.canIdentify || key.isOptional {
      problems.append(
        "\(self.type).\(key.name): a primary key is a text, a whole number, a UUID or an ObjectId, not optional"
      )
    }
    return ModelType(objectType: type, declared: declared, problems: problems)
  }

  private func makeProbe(_ access: RowAccess) -> PersistedObject {
    let thread = unsafe leyden_thread_state()
    let outer = unsafe thread.pointee.binding
    unsafe thread.pointee.binding = unsafe leyden_binding(
      row: access.state, making: access.state, type: typeAddress(type),
      discovery: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), next: 0)
    defer { unsafe thread.pointee.binding = unsafe outer }
    return type.init()
  }

  /// Looks for the wrapper that holds this row and this column.
  private func offset(of column: Int32, in probe: PersistedObject, _ access: RowAccess) -> Int? {
    let start = unsafe Unmanaged.passUnretained(probe).toOpaque()
    let end = unsafe leyden_allocation_size(start) - MemoryLayout<Persisted<Bool>>.size
    let row = unsafe UInt(bitPattern: access.state)
    return stride(from: 0, through: end, by: MemoryLayout<UInt>.alignment).first { offset in
      unsafe start.load(fromByteOffset: offset, as: UInt.self) == row
        && start.load(fromByteOffset: offset + 8, as: Int32.self) == column
    }
  }
}

extension ModelType.Column {
  /// The model of the objects that the property leads to.
  package var targetModel: ModelType? { dynamicTarget?() ?? target.map { ModelType.of($0) } }

  /// Whether the property holds objects, or may.
  package var mayHoldObjects: Bool {
    switch element ?? type {
    case .link, .embedded, .anyValue: true
    default: false
    }
  }
}

extension ModelType.Column {
  /// Why a property cannot be as it is declared, in words; `nil` where it can.
  fileprivate var problem: String? {
    if index != nil || isPrimaryKey, !type.canBeIndexed { return "a \(type) has no index" }
    if deleteRule != .nullify, type != .link, element != .link {
      return "a delete rule is for links and collections of links"
    }
    switch type {
    case .link where !isOptional, .embedded where !isOptional:
      return "objects are held as optionals"
    case .linkingObjects:
      return origin == nil ? "linking objects need the name of their origin property" : nil
    case .list, .set, .map: return isOptional ? "collections are never nil" : elementProblem
    default: return nil
    }
  }

  private var elementProblem: String? {
    guard let element else { return "its elements cannot be stored" }
    switch element {
    case .list, .set, .map, .linkingObjects: return "collections do not hold collections"
    case .link, .embedded:
      if type == .map, !elementIsOptional {
        return "a map holds objects as optionals, as they may be deleted"
      }
      if type != .map, elementIsOptional {
        return "lists and sets hold objects that are not optional"
      }
      return type == .set && element == .embedded ? "sets do not hold embedded objects" : nil
    default: return nil
    }
  }
}

extension PersistedProperty {
  /// The number that the wrapper took.
  fileprivate var columnNumber: Int32 {
    unsafe withUnsafeBytes(of: self) { unsafe $0.load(fromByteOffset: 8, as: Int32.self) }
  }
}

/// A value behind a lock, for values that are not `Sendable` themselves.
///
/// `Mutex` asks that what goes in and comes out is `Sendable`; key paths and metatypes are not
/// marked so, though they never change.
// SAFETY: every access holds the lock.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// Puts a value behind a lock of its own.
  package init(_ value: Value) { self.value = value }

  /// Runs `body` while nobody else has the value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
