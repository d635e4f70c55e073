import Foundation

/// A walk over the trees of a `data.mdb` that LMDB has not opened.
///
/// Tells whether all pages that a tree refers to lie within the file. Reads with `pread`, so that
/// damage gives an answer and not a signal. Costs a read per branch and leaf page.
struct DataFileWalk {
  let descriptor: Int32
  let pageSize: Int
  let length: UInt64

  /// The layout of LMDB 0.9's pages and nodes.
  private enum Layout {
    static let pageFlags = 10
    static let lower = 12
    static let overflowPages = 12
    static let header = 16
    static let branch: UInt16 = 0x01
    static let leaf: UInt16 = 0x02
    static let overflow: UInt16 = 0x04
    static let nodeHeader = 8
    static let largeValue: UInt16 = 0x01
    static let subTree: UInt16 = 0x02
    static let treeRecord = 48
    static let treeRoot = 40
    static let deepest = 32
  }

  /// Whether every page below the roots is there and is what its parent says.
  mutating func isWhole(roots: [UInt64]) -> Bool {
    roots.allSatisfy { isWhole(page: $0, depth: 0) }
  }

  private func isWhole(page number: UInt64, depth: Int) -> Bool {
    guard depth < Layout.deepest, let page = read(number) else { return false }
    let flags = page.number(at: Layout.pageFlags, UInt16.self)
    let lower = Int(page.number(at: Layout.lower, UInt16.self))
    guard lower >= Layout.header, lower <= pageSize else { return false }
    for pointer in stride(from: Layout.header, to: lower, by: 2) {
      let node = Int(page.number(at: pointer, UInt16.self))
      guard node >= Layout.header, node + Layout.nodeHeader <= pageSize else { return false }
      let isSound =
        flags & Layout.branch != 0
        ? isWhole(page: childNumber(of: node, in: page), depth: depth + 1)
        : flags & Layout.leaf != 0 && isWhole(leaf: node, in: page, depth: depth)
      guard isSound else { return false }
    }
    return true
  }

  private func isWhole(leaf node: Int, in page: [UInt8], depth: Int) -> Bool {
    let flags = page.number(at: node + 4, UInt16.self)
    let value = node + Layout.nodeHeader + Int(page.number(at: node + 6, UInt16.self))
    if flags & Layout.largeValue != 0 {
      guard value + 8 <= pageSize else { return false }
      return isWhole(overflow: page.number(at: value, UInt64.self))
    }
    guard flags & Layout.subTree != 0 else { return true }
    guard value + Layout.treeRecord <= pageSize else { return false }
    let root = page.number(at: value + Layout.treeRoot, UInt64.self)
    return root == .max || isWhole(page: root, depth: depth + 1)
  }

  private func isWhole(overflow number: UInt64) -> Bool {
    guard let page = read(number) else { return false }
    let pages = UInt64(page.number(at: Layout.overflowPages, UInt32.self))
    return page.number(at: Layout.pageFlags, UInt16.self) & Layout.overflow != 0
      && number + pages <= length / UInt64(pageSize)
  }

  private func childNumber(of node: Int, in page: [UInt8]) -> UInt64 {
    UInt64(page.number(at: node, UInt32.self))
      | UInt64(page.number(at: node + 4, UInt16.self)) << 32
  }

  /// Reads a page; nil if the file ends before it does, or if it has another number.
  private func read(_ number: UInt64) -> [UInt8]? {
    guard number > 1, number < length / UInt64(pageSize) else { return nil }
    let offset = off_t(number) * off_t(pageSize)
    let page = unsafe [UInt8](unsafeUninitializedCapacity: pageSize) { buffer, count in
      count = max(0, unsafe pread(descriptor, buffer.baseAddress, pageSize, offset))
    }
    guard page.count == pageSize, page.number(at: 0, UInt64.self) == number else { return nil }
    return page
  }
}

extension [UInt8] {
  /// Reads a little-endian number; the caller has checked the bounds.
  func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type) -> Number {
    precondition(offset >= 0 && offset + MemoryLayout<Number>.size <= count)
    return unsafe withUnsafeBytes {
      unsafe Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }
}
