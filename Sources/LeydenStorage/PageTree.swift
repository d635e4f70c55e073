import Foundation

/// What LMDB notes of a tree, in a meta page or beside a table's name.
struct TreeRecord: Hashable, Sendable {
  static let size = 48
  /// The root of a tree without entries.
  static let noPage = UInt64.max

  var pad: UInt32
  var flags: UInt16
  var depth: Int
  var branchPages: UInt64
  var leafPages: UInt64
  var valuePages: UInt64
  var entries: UInt64
  var root: UInt64

  /// Reads the 48 bytes at an offset.
  init(_ bytes: [UInt8], at offset: Int = 0) {
    pad = bytes.number(at: offset, UInt32.self)
    flags = bytes.number(at: offset + 4, UInt16.self)
    depth = Int(bytes.number(at: offset + 6, UInt16.self))
    branchPages = bytes.number(at: offset + 8, UInt64.self)
    leafPages = bytes.number(at: offset + 16, UInt64.self)
    valuePages = bytes.number(at: offset + 24, UInt64.self)
    entries = bytes.number(at: offset + 32, UInt64.self)
    root = bytes.number(at: offset + 40, UInt64.self)
  }
}

// SAFETY: bytes are lent for a call only, and stay within their array.
/// A table of a snapshot, read page by page without LMDB.
///
/// Pages that are damaged are left out: what is returned is what can be reached. For one thread.
@safe
package final class PageTree {
  /// Whether every page of it is what it should be.
  package let isSound: Bool
  let record: TreeRecord
  private let file: PageFile
  private let order: KeyOrder
  /// Pages that were looked at lately: lookups share the upper ones.
  private var kept: [UInt64: Page] = [:]
  private static let keptPages = 256

  init(_ file: PageFile, _ record: TreeRecord, order: KeyOrder = .bytes, isSound: Bool) {
    self.file = file
    self.record = record
    self.order = order
    self.isSound = isSound
  }

  /// The number of entries that the tree is said to have.
  package var count: UInt64 { record.entries }

  /// The number of pages that the tree is said to have.
  package var pages: UInt64 {
    record.branchPages &+ record.leafPages &+ record.valuePages
  }

  /// Calls `body` with each key and value, in order.
  ///
  /// - Parameters:
  ///   - limit: How many bytes of a long value are read.
  ///   - body: Is lent the bytes for the call.
  /// - Complexity: Reads each page once, and keeps one for each level.
  package func forEach(
    limit: Int = .max, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) {
    // A damaged tree may have circles.
    var visited: Set<UInt64>? = isSound ? nil : []
    unsafe forEach(below: record.root, depth: 0, limit, &visited, body)
  }

  private func forEach(
    below number: UInt64, depth: Int, _ limit: Int, _ visited: inout Set<UInt64>?,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) {
    guard number != TreeRecord.noPage, depth < Page.Layout.deepest,
      visited?.insert(number).inserted ?? true,
      case .success(let page) = file.page(number)
    else { return }
    for index in 0..<page.count {
      if page.isLeaf {
        unsafe lend(page, index, limit, body)
      } else {
        unsafe forEach(below: page.child(index), depth: depth + 1, limit, &visited, body)
      }
    }
  }

  private func lend(
    _ page: Page, _ index: Int, _ limit: Int,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) {
    unsafe page.bytes.withUnsafeBytes { bytes in
      let key = unsafe UnsafeRawBufferPointer(rebasing: bytes[page.key(index)])
      guard page.isElsewhere(index) else {
        return unsafe body(key, UnsafeRawBufferPointer(rebasing: bytes[page.value(index)]))
      }
      let first = page.firstPage(index)
      guard
        case .success(let value) = file.longValue(
          first, count: page.valueCount(index), limit: limit)
      else { return }
      unsafe value.withUnsafeBytes { unsafe body(key, $0) }
    }
  }

  /// Calls `body` with each key that begins with a prefix, and its value, in order, until it returns
  /// false.
  ///
  /// For trees that are sound; nothing is found in others.
  package func forEach(
    prefix: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) {
    guard isSound else { return }
    unsafe prefix.withUnsafeBytes { prefix in
      _ = unsafe forEach(below: record.root, prefix, body)
    }
  }

  /// - Returns: Whether there may be more behind the page.
  private func forEach(
    below number: UInt64, _ prefix: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    guard number != TreeRecord.noPage, let page = page(number), page.count > 0 else { return true }
    guard page.isLeaf else {
      for index in max(0, unsafe page.childIndex(for: prefix, order))..<page.count {
        guard unsafe forEach(below: page.child(index), prefix, body) else { return false }
      }
      return true
    }
    var goesOn = true
    for index in unsafe page.leafIndex(for: prefix, order)..<page.count where goesOn {
      unsafe lend(page, index, .max) { key, value in
        goesOn = unsafe key.starts(with: prefix) && body(key, value)
      }
    }
    return goesOn
  }

  /// Returns the value stored for a key; `nil` if there is none.
  ///
  /// - Complexity: Reads a page for each level, less those that were read lately.
  package func value(for key: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let (page, index) = unsafe place(of: key), index < page.count,
      unsafe page.bytes.withUnsafeBytes({ bytes in
        unsafe UnsafeRawBufferPointer(rebasing: bytes[page.key(index)]).elementsEqual(key)
      })
    else { return nil }
    guard page.isElsewhere(index) else { return Array(page.bytes[page.value(index)]) }
    return try? file.longValue(page.firstPage(index), count: page.valueCount(index)).get()
  }

  /// Returns the value stored for a key; `nil` if there is none.
  package func value(for key: [UInt8]) -> [UInt8]? {
    unsafe key.withUnsafeBytes { unsafe value(for: $0) }
  }

  /// Returns the value stored for a row; `nil` if there is none.
  package func value(forRow row: UInt64) -> [UInt8]? {
    unsafe withUnsafeBytes(of: row.bigEndian) { unsafe value(for: $0) }
  }

  /// The first key; `nil` in an empty table.
  package var firstKey: [UInt8]? { endKey { _ in 0 } }

  /// The last key; `nil` in an empty table.
  package var lastKey: [UInt8]? { endKey { $0.count - 1 } }

  private func endKey(_ index: (Page) -> Int) -> [UInt8]? {
    var number = record.root
    for _ in 0..<Page.Layout.deepest {
      guard number != TreeRecord.noPage, let page = page(number), page.count > 0 else { return nil }
      if page.isLeaf { return Array(page.bytes[page.key(index(page))]) }
      number = page.child(index(page))
    }
    return nil
  }

  /// The leaf where a key is or would be, and its place there.
  private func place(of key: UnsafeRawBufferPointer) -> (Page, Int)? {
    var number = record.root
    for _ in 0..<Page.Layout.deepest {
      guard number != TreeRecord.noPage, let page = page(number) else { return nil }
      if page.isLeaf { return (page, unsafe page.leafIndex(for: key, order)) }
      guard page.count > 0 else { return nil }
      number = page.child(max(0, unsafe page.childIndex(for: key, order)))
    }
    return nil
  }

  private func page(_ number: UInt64) -> Page? {
    if let page = kept[number] { return page }
    guard case .success(let page) = file.page(number) else { return nil }
    if kept.count >= Self.keptPages { kept.removeAll(keepingCapacity: true) }
    kept[number] = page
    return page
  }
}
