import CLeyden
import Foundation

/// Finds out which column a key path reads: follows it on objects without a row, and notes what is
/// read of them.
// As visible as what it inherits from: the compiler takes an internal subclass for endless recursion.
package final class ColumnTracer: RowAccess {
  private var columns: [Int32] = []
  private let answer: StoredValue?

  /// Answers with a value, or with each property's empty one.
  init(answering answer: StoredValue?) {
    self.answer = answer
    unsafe super.init(current: neverCurrent)
  }

  override package func enter(reading column: Int32) -> Bool {
    columns.append(column)
    return answer != nil
  }

  override package func distantValue(_ column: Int32) -> StoredValue { answer ?? .null }

  /// The column that a path reads, or `nil` where it does not give just what one column holds.
  static func column(of path: AnyKeyPath, in model: ModelType) -> ModelType.Column? {
    let tracer = ColumnTracer(answering: nil)
    guard tracer.value(at: path, of: model) != nil, tracer.columns.count == 1,
      let number = tracer.columns.first
    else { return nil }
    let column = model.columns[Int(number)]
    let valueType = column.wrapper.valueType
    guard type(of: path).valueType == valueType else { return nil }
    // What a property of the class computes from another one may be of its type, too: that it is
    // something else shows in what it makes of several values.
    for answer in answers(for: column) {
      let tracer = ColumnTracer(answering: answer)
      let found = unwrapped(tracer.value(at: path, of: model)) as? any Persistable
      let expected = valueType.make(from: answer) ?? valueType.emptyValue
      guard tracer.columns == [number],
        (found?.storedValue ?? .null).isIdentical(to: expected.storedValue)
      else { return nil }
    }
    return column
  }

  private func value(at path: AnyKeyPath, of model: ModelType) -> Any? {
    let probe: Any = makeObject(model.objectType, access: self)
    return probe[keyPath: path]
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
