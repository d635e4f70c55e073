import Leyden
import LeydenStorage
import XCTest

extension Store {
  /// Changes entries behind the library's back.
  func change(_ body: (WriteTransaction) throws -> Void) throws {
    let environment = try XCTUnwrap(session.core.openEnvironment)
    let write = try environment.beginWrite()
    do { try body(write) } catch {
      write.abort()
      throw error
    }
    try write.commit()
  }

  /// A type as the file knows it.
  func type(named name: String) throws -> Catalog.StoredType {
    try XCTUnwrap(session.core.catalog.type(named: name))
  }
}

extension WriteTransaction {
  /// Stores bytes for a key.
  func put(_ value: [UInt8], for key: [UInt8], in table: Table) throws {
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try withBytes(of: value) { (value) throws(StorageError) in
        unsafe try put(value, for: key, in: table)
      }
    }
  }

  /// The bytes of a key; `nil` where there are none.
  func bytes(for key: [UInt8], in table: Table) throws -> [UInt8]? {
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try value(for: key, in: table).map { unsafe Array($0) }
    }
  }

  /// Changes the bytes of a key that is there.
  func change(key: [UInt8], in table: Table, _ body: (inout [UInt8]) -> Void) throws {
    var value = try XCTUnwrap(bytes(for: key, in: table))
    body(&value)
    try put(value, for: key, in: table)
  }

  /// Removes a key that is there.
  func delete(_ key: [UInt8], in table: Table) throws {
    let isGone = unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try delete(key, in: table)
    }
    XCTAssertTrue(isGone)
  }

  /// All keys, in order.
  func keys(of table: Table) throws -> [[UInt8]] {
    var cursor = try cursor(in: table)
    var keys: [[UInt8]] = []
    while try cursor.next() { unsafe keys.append(Array(cursor.key)) }
    return keys
  }
}

/// A number's bytes in a key.
func keyBytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
}

/// Gives a record the checksum that belongs to its bytes and its place.
func seal(_ record: inout [UInt8], type: UInt32, row: UInt64) {
  let sum = unsafe record.withUnsafeBytes { bytes in
    let start = unsafe checksum(
      of: UnsafeRawBufferPointer(rebasing: bytes[..<4]), type: type, row: row)
    return unsafe checksum(of: UnsafeRawBufferPointer(rebasing: bytes[8...]), after: start)
  }
  record.replaceSubrange(
    4..<8, with: unsafe withUnsafeBytes(of: sum.littleEndian) { unsafe Array($0) })
}
