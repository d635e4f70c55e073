import Foundation
import LeydenStorage

/// The table `catalog`: one record for each type, property, index and layout.
///
/// Key: kind `u8 | id u32`, big-endian (a layout: kind, type id `u32`, layout id `u16`). Value: a
/// record whose layout id is its number of slots. Readers take missing slots as null and ignore
/// further ones, so that later versions can add some.
enum CatalogEntry {
  static let table = "catalog"

  enum Kind: UInt8 {
    case type = 1
    case property = 2
    case index = 3
    case layout = 4
  }

  /// Slots of a type's entry.
  enum TypeSlot: Int, CaseIterable {
    case name, flags, primaryKey, newestLayout
  }

  /// Slots of a property's entry.
  enum PropertySlot: Int, CaseIterable {
    case type, name, number, flags, ordinal, target, deleteRule, defaultValue, origin, element
  }

  /// Slots of an index's entry.
  enum IndexSlot: Int, CaseIterable {
    case type, kind, flags, fields, textRules
  }

  /// Slots of a layout's entry.
  enum LayoutSlot: Int, CaseIterable {
    case properties
  }

  /// A property that may be nil.
  static let optionalFlag: Int64 = 1
  /// A collection whose elements or values may be nil.
  static let optionalElementFlag: Int64 = 4
  /// A type whose objects lie inside their owners.
  static let embeddedFlag: Int64 = 1
  /// A field of an index whose order is turned around.
  static let descendingOption: UInt8 = 1
  /// A field of an index with a marker for null.
  static let markerOption: UInt8 = 2
  /// A type, property or index that was removed and keeps its number.
  static let retiredFlag: Int64 = 2

  /// The flags of types that this version knows.
  static let knownTypeFlags = embeddedFlag | retiredFlag
  /// The flags of properties that this version knows.
  static let knownPropertyFlags = optionalFlag | retiredFlag | optionalElementFlag

  /// Which slots of an entry are stored as bytes.
  static func heapSlots(_ kind: Kind) -> [Bool] {
    switch kind {
    case .type: TypeSlot.allCases.map { $0 == .name }
    case .property: PropertySlot.allCases.map { $0 == .name || $0 == .defaultValue }
    case .index: IndexSlot.allCases.map { $0 == .fields }
    case .layout: [true]
    }
  }

  static func key(_ kind: Kind, id: UInt32) -> [UInt8] {
    var key = KeyEncoder()
    key.append(kind.rawValue)
    key.append(id)
    return key.bytes
  }

  static func layoutKey(type: UInt32, layout: UInt16) -> [UInt8] {
    var key = KeyEncoder()
    key.append(Kind.layout.rawValue)
    key.append(type)
    key.append(layout)
    return key.bytes
  }

  /// The number that stands for a type id in an entry's checksum.
  static func checksumType(_ kind: Kind) -> UInt32 { 0xffff_ff00 | UInt32(kind.rawValue) }

  /// The number that stands for a row in an entry's checksum.
  static func checksumRow(type: UInt32, layout: UInt16) -> UInt64 {
    UInt64(type) << 16 | UInt64(layout)
  }

  /// An array of ids as the bytes of a slot.
  static func bytes(of ids: [UInt32]) -> [UInt8] {
    ids.flatMap { id in unsafe withUnsafeBytes(of: id.littleEndian) { unsafe Array($0) } }
  }

  /// An index's fields as the bytes of a slot.
  static func bytes(of fields: [Catalog.StoredIndex.Field]) -> [UInt8] {
    fields.flatMap { field in
      bytes(of: [field.property]) + [
        (field.isDescending ? descendingOption : 0) | (field.hasMarker ? markerOption : 0)
      ]
    }
  }

  /// The fields in the bytes of a slot.
  static func fields(in bytes: UnsafeRawBufferPointer) -> [Catalog.StoredIndex.Field] {
    unsafe ids(in: bytes, stride: 5).enumerated().map { number, property in
      let options = unsafe bytes[number * 5 + 4]
      return Catalog.StoredIndex.Field(
        property: property, isDescending: options & descendingOption != 0,
        hasMarker: options & markerOption != 0)
    }
  }

  /// The ids in the bytes of a slot, each of which takes `stride` bytes.
  static func ids(in bytes: UnsafeRawBufferPointer, stride width: Int = 4) -> [UInt32] {
    stride(from: 0, through: bytes.count - width, by: width).map {
      unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
    }
  }
}

extension PropertyType {
  /// The type of a number in the catalog; `nil` for one of a later version.
  init?(number: Int64) {
    guard let raw = UInt8(exactly: number), let type = PropertyType(rawValue: raw) else {
      return nil
    }
    self = type
  }
}

/// The table `meta`: numbers of the whole store under short ASCII names.
enum MetaEntry {
  static let table = "meta"
  static let format = "format"
  static let uuid = "uuid"
  static let incarnation = "incarnation"
  static let generation = "generation"
  static let rows = "rows"
  static let ids = "ids"
  static let schema = "schema"
  static let boot = "boot"

  /// The format that this code writes, and the oldest that can read what it writes.
  static let formatVersion: UInt32 = 1

  /// Reads a number; 0 where there is none.
  static func number(
    _ name: String, in table: Table, _ transaction: Transaction
  ) throws(StorageError) -> UInt64 {
    unsafe try withBytes(of: Array(name.utf8)) { (key) throws(StorageError) in
      guard let bytes = unsafe try transaction.value(for: key, in: table) else { return 0 }
      return unsafe bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// Reads bytes; `nil` where there are none.
  static func bytes(
    _ name: String, in table: Table, _ transaction: Transaction
  ) throws(StorageError) -> [UInt8]? {
    unsafe try withBytes(of: Array(name.utf8)) { (key) throws(StorageError) in
      guard let bytes = unsafe try transaction.value(for: key, in: table) else { return nil }
      return unsafe Array(bytes)
    }
  }

  /// Removes an entry.
  static func remove(
    _ name: String, from table: Table, _ transaction: WriteTransaction
  ) throws(StorageError) {
    unsafe try withBytes(of: Array(name.utf8)) { (key) throws(StorageError) in
      _ = unsafe try transaction.delete(key, in: table)
    }
  }

  /// Writes a number of 8 bytes.
  static func set(
    _ name: String, to value: UInt64, in table: Table, _ transaction: WriteTransaction
  ) throws(StorageError) {
    var little = value.littleEndian
    unsafe try withBytes(of: Array(name.utf8)) { (key) throws(StorageError) in
      unsafe try withTypedBytes(of: &little) { (bytes) throws(StorageError) in
        unsafe try transaction.put(bytes, for: key, in: table)
      }
    }
  }

  /// Writes bytes.
  static func set(
    _ name: String, to value: [UInt8], in table: Table, _ transaction: WriteTransaction
  ) throws(StorageError) {
    unsafe try withBytes(of: Array(name.utf8)) { (key) throws(StorageError) in
      unsafe try withBytes(of: value) { (bytes) throws(StorageError) in
        unsafe try transaction.put(bytes, for: key, in: table)
      }
    }
  }
}
