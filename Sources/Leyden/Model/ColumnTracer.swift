import CLeyden
import Foundation

/// Finds out which properties a key path reads: follows it on objects without a row, and notes what is
/// read of them.
///
/// A property that leads to an object gives another such object, so that a path of several steps is
/// followed to its end.
// As visible as what it inherits from: the compiler takes an internal subclass for endless recursion.
package final class ColumnTracer: RowAccess {
  /// What was read, over all objects of one path.
  private final class Trace {
    var reads: [(tracer: ColumnTracer, column: Int32)] = []
    /// What properties that are values answer with; `nil` for each one's empty value.
    let answer: StoredValue?

    init(answering answer: StoredValue?) { self.answer = answer }
  }

  /// More steps than anybody writes.
  private static let longestPath = 64

  private let traced: ModelType
  private let trace: Trace
  /// The object that the last property gave which leads to one.
  private var reached: PersistedObject?

  private init(_ model: ModelType, _ trace: Trace) {
    traced = model
    self.trace = trace
    unsafe super.init(current: neverCurrent)
  }

  override package func enter(reading column: Int32) -> Bool {
    trace.reads.append((self, column))
    guard traced.columns[Int(column)].target == nil else {
      // A record in which every property has a value: a link looks there for a row.
      unsafe state.pointee.base = unsafe tracedRecord
      unsafe state.pointee.slots = unsafe tracedSlots
      return true
    }
    return trace.answer != nil
  }

  override package func leave() {
    unsafe state.pointee.base = nil
    unsafe state.pointee.slots = nil
  }

  override package func distantValue(_ column: Int32) -> StoredValue { trace.answer ?? .null }

  override package func object(
    _ column: Int32, row: UInt64, _ type: PersistedObject.Type
  ) -> PersistedObject? {
    // What a class computes may go on for as long as there is another object.
    guard trace.reads.count < Self.longestPath else { return nil }
    let object: PersistedObject = makeObject(
      type, access: ColumnTracer(ModelType.of(type), trace))
    reached = object
    return object
  }

  /// The properties that a path reads one after the other, or `nil` where it does not give just what the
  /// last one holds.
  static func path(_ path: AnyKeyPath, in model: ModelType) -> ColumnPath? {
    guard let found = follow(path, in: model, answering: nil),
      let last = found.columns.last,
      hasType(of: last, path, isDirect: found.columns.count == 1 && !startsWithOptional(path))
    else { return nil }
    let valueType = last.wrapper.valueType
    // What a property of the class computes from others may be of its type, too: that it is something
    // else shows in what it makes of several values.
    for answer in answers(for: last) {
      let expected = valueType.make(from: answer) ?? valueType.emptyValue
      guard let again = follow(path, in: model, answering: answer),
        again.columns.map(\.number) == found.columns.map(\.number),
        ((unwrapped(again.value) as? any Persistable)?.storedValue ?? .null)
          .isIdentical(to: expected.storedValue)
      else { return nil }
    }
    return ColumnPath(found.columns)
  }

  /// Follows a path on a new object.
  ///
  /// - Returns: What it gave, and the properties that were read for it, each of the object that the one
  ///   before led to; `nil` where others were read.
  private static func follow(
    _ path: AnyKeyPath, in model: ModelType, answering answer: StoredValue?
  ) -> (value: Any?, columns: [ModelType.Column])? {
    let trace = Trace(answering: answer)
    let first = ColumnTracer(model, trace)
    let object: PersistedObject = makeObject(model.objectType, access: first)
    let probe = startsWithOptional(path) ? optional(object) : object
    let value = unwrapped(probe[keyPath: path])
    // A collection is read by who asks it for elements; it knows where it is.
    if let handle = (value as? any PersistedCollection)?.handle {
      guard let tracer = handle.access as? ColumnTracer else { return nil }
      trace.reads.append((tracer, handle.column))
    }
    var columns: [ModelType.Column] = []
    var tracer: ColumnTracer? = first
    for read in trace.reads {
      guard read.tracer === tracer else { return nil }
      columns.append(read.tracer.traced.columns[Int(read.column)])
      tracer = read.tracer.reached?.access as? ColumnTracer
    }
    // An object has to be the one that the last property gave.
    if let object = value as? PersistedObject, object.access !== tracer { return nil }
    return columns.isEmpty ? nil : (value, columns)
  }

  /// Whether a path begins with an object that may be nil, as the elements of maps are.
  private static func startsWithOptional(_ path: AnyKeyPath) -> Bool {
    (type(of: path).rootType as? any Persistable.Type)?.isOptional ?? false
  }

  /// An object as an optional of its class.
  private static func optional(_ object: PersistedObject) -> Any {
    func optional<Value: Persistable>(as type: Value.Type) -> Any { object as? Value as Any }
    return (type(of: object) as? any Persistable.Type).map { optional(as: $0) } ?? object
  }

  /// Whether a path's values are of a property's type; those that are found through others may be nil.
  private static func hasType(
    of column: ModelType.Column, _ path: AnyKeyPath, isDirect: Bool
  ) -> Bool {
    func optional<Value: Persistable>(of type: Value.Type) -> Any.Type { Value?.self }
    let pathType = type(of: path).valueType
    let valueType = column.wrapper.valueType
    if pathType == valueType { return true }
    return !isDirect && pathType == optional(of: valueType)
  }

  /// Values that what is computed from them differs from, most likely; none for types of the
  /// program's own, which need not expect every value.
  private static func answers(for column: ModelType.Column) -> [StoredValue] {
    let valueType = column.wrapper.valueType
    if valueType is any FailableCustomPersistable.Type || valueType is any OptionalCustom.Type {
      return []
    }
    return switch column.type {
    case .bool: [.bool(true), .bool(false)]
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: [.int(-3), .int(42)]
    case .float: [.float(-2.5), .float(42.25)]
    case .double: [.double(-2.5), .double(42.25)]
    case .decimal: [.decimal(Decimal(-3)), .decimal(Decimal(42))]
    case .string: [.string(" aBß\n"), .string("zY 9.")]
    case .data: [.data(Data([9, 0, 0xff])), .data(Data([0x61]))]
    case .date: [.date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: 42.25))]
    case .uuid: [.uuid(UUID()), .uuid(UUID())]
    case .objectId: [.objectId(ObjectId.generate()), .objectId(ObjectId.generate())]
    case .anyValue: [.int(-3), .string(" aBß\n")]
    case .link, .embedded, .linkingObjects, .list, .set, .map: []
    }
  }
}

/// An optional of a type of the program's own.
private protocol OptionalCustom {}

extension Optional: OptionalCustom where Wrapped: FailableCustomPersistable {}

// SAFETY: never written after it was made, and never freed.
/// A generation that no row is of.
nonisolated(unsafe) let neverCurrent: UnsafePointer<UInt64> = {
  let generation = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
  unsafe generation.initialize(to: .max)
  return unsafe UnsafePointer(generation)
}()

// SAFETY: never written after it was made, and never freed.
/// A record of one slot that is not null, for properties that lead to objects.
nonisolated(unsafe) private let tracedRecord: UnsafePointer<UInt8> = {
  let record = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
  unsafe record.initialize(repeating: 0, count: 64)
  return unsafe UnsafePointer(record)
}()

// SAFETY: never written after it was made, and never freed.
/// The slot of each column in that record.
nonisolated(unsafe) private let tracedSlots: UnsafePointer<UInt16> = {
  let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: Int(UInt16.max))
  unsafe slots.initialize(repeating: 0, count: Int(UInt16.max))
  return unsafe UnsafePointer(slots)
}()
