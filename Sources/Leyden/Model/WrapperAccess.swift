import CLeyden
import Foundation
import LeydenStorage

// SAFETY: called with the address of a wrapper of the type that it was made for, by ``ModelType``.
/// Reads and binds a wrapper at an address, without its static type.
///
/// A call through a metatype looks up the generic type's metadata every time, which costs more than
/// the call does (benchmark: insert). So the compiler makes these functions for the usual
/// types, and they are found once for each column.
@safe
struct WrapperAccess: Sendable {
  /// The property's value, managed or not.
  let storedValue: @Sendable (UnsafeMutableRawPointer) -> StoredValue
  /// Puts the property's value, managed or not, into a slot of a record.
  let encode: @Sendable (UnsafeMutableRawPointer, Int, MutableRecord) throws(StorageError) -> Void
  /// Points the wrapper at a column of a row.
  let bind: @Sendable (UnsafeMutableRawPointer, UnsafeMutablePointer<leyden_row>, Int32) -> Void

  /// The functions for a wrapper's type.
  static func of(_ wrapper: any PersistedProperty.Type) -> WrapperAccess {
    if let known = known[ObjectIdentifier(wrapper)] { return known }
    let type = wrapper.valueType.propertyType ?? .bool
    return unsafe WrapperAccess(
      storedValue: { unsafe wrapper.storedValue(at: $0) },
      encode: { (address, slot, record) throws(StorageError) in
        try record.set(unsafe wrapper.storedValue(at: address), as: type, in: slot)
      },
      bind: { unsafe wrapper.bind(at: $0, to: $1, column: $2) })
  }

  private static let known: [ObjectIdentifier: WrapperAccess] = Dictionary(
    uniqueKeysWithValues: [
      entry(Persisted<Bool>.self), entry(Persisted<Bool?>.self),
      entry(Persisted<Int>.self), entry(Persisted<Int?>.self),
      entry(Persisted<Int64>.self), entry(Persisted<Int64?>.self),
      entry(Persisted<Int32>.self), entry(Persisted<Int32?>.self),
      entry(Persisted<Float>.self), entry(Persisted<Float?>.self),
      entry(Persisted<Double>.self), entry(Persisted<Double?>.self),
      entry(Persisted<Date>.self), entry(Persisted<Date?>.self),
      entry(Persisted<String>.self), entry(Persisted<String?>.self),
      entry(Persisted<Data>.self), entry(Persisted<Data?>.self),
      entry(Persisted<UUID>.self), entry(Persisted<UUID?>.self),
    ])

  private static func entry<Wrapper: PersistedProperty>(
    _ type: Wrapper.Type
  ) -> (ObjectIdentifier, WrapperAccess) {
    let access = unsafe WrapperAccess(
      storedValue: { unsafe Wrapper.storedValue(at: $0) },
      encode: { (address, slot, record) throws(StorageError) in
        try record.set(unsafe Wrapper.storedValue(at: address), in: slot)
      },
      bind: { unsafe Wrapper.bind(at: $0, to: $1, column: $2) })
    return (ObjectIdentifier(type), access)
  }
}
