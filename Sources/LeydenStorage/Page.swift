import CLeyden
import Foundation

/// A branch or leaf page of LMDB's, in memory of its own, whose shape was checked.
///
///     offset  size       field
///     0       8          page number
///     8       2          unused
///     10      2          flags: 1 branch, 2 leaf, 4 first page of a long value
///     12      2          end of the pointers ("lower"); of a long value: number of pages, 4 bytes
///     14      2          start of the nodes ("upper")
///     16      2 × n      offset of each node, in the order of the keys
///     upper              nodes, up to the end of the page
///
/// A node has 8 bytes, the key and, in a leaf, the value or the number of its first page. Every
/// access is within the page, whatever its bytes are.
struct Page {
  /// What LMDB 0.9 lays down for all page sizes.
  enum Layout {
    static let header = 16
    static let nodeHeader = 8
    static let flags = 10
    static let lower = 12
    static let upper = 14
    static let branch: UInt16 = 1
    static let leaf: UInt16 = 2
    static let longValue: UInt16 = 4
    /// Flags of a node in a leaf.
    static let isElsewhere: UInt16 = 1
    static let isTree: UInt16 = 2
    static let longestKey = 511
    /// LMDB's cursors are as deep.
    static let deepest = 32
  }

  let bytes: [UInt8]
  let isLeaf: Bool
  /// The number of nodes.
  let count: Int

  /// Takes a page over whose shape is sound.
  ///
  /// - Returns: Else what is wrong with it.
  static func make(_ bytes: [UInt8], number: UInt64) -> Result<Page, Problem> {
    guard bytes.number(at: 0, UInt64.self) == number else {
      return .failure(
        Problem("page \(number) says that it is page \(bytes.number(at: 0, UInt64.self))"))
    }
    let flags = bytes.number(at: Layout.flags, UInt16.self)
    guard flags == Layout.branch || flags == Layout.leaf else {
      return .failure(Problem("page \(number) has the flags \(flags) in place of 1 or 2"))
    }
    let lower = Int(bytes.number(at: Layout.lower, UInt16.self))
    guard lower >= Layout.header, lower <= bytes.count, lower % 2 == 0 else {
      return .failure(Problem("the pointers of page \(number) end at \(lower)"))
    }
    let page = Page(
      bytes: bytes, isLeaf: flags == Layout.leaf, count: (lower - Layout.header) / 2)
    if let problem = page.problem(lower: lower) {
      return .failure(Problem("page \(number): \(problem)"))
    }
    return .success(page)
  }

  /// Why a page is not used.
  struct Problem: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private init(bytes: [UInt8], isLeaf: Bool, count: Int) {
    self.bytes = bytes
    self.isLeaf = isLeaf
    self.count = count
  }

  /// What is wrong with the nodes: they have to fill the page from `upper` on, without a gap.
  private func problem(lower: Int) -> String? {
    let upper = Int(bytes.number(at: Layout.upper, UInt16.self))
    guard upper >= lower, upper <= bytes.count else { return "the nodes begin at \(upper)" }
    var extents: [(start: Int, end: Int)] = []
    extents.reserveCapacity(count)
    for index in 0..<count {
      let start = node(index)
      guard start >= upper, start + Layout.nodeHeader <= bytes.count else {
        return "node \(index) begins at \(start)"
      }
      let (end, overflow) = start.addingReportingOverflow(size(index))
      guard !overflow, end <= bytes.count else { return "node \(index) does not end in the page" }
      extents.append((start, end))
    }
    extents.sort { $0.start < $1.start }
    var expected = upper
    for extent in extents {
      guard extent.start == expected else { return "a node begins at \(extent.start)" }
      expected = extent.end
    }
    return expected == bytes.count ? nil : "the nodes end at \(expected)"
  }

  private func node(_ index: Int) -> Int {
    Int(bytes.number(at: Layout.header + index * 2, UInt16.self))
  }

  private func keyCount(_ index: Int) -> Int {
    Int(bytes.number(at: node(index) + 6, UInt16.self))
  }

  /// The bytes that a node takes; nodes begin at even offsets.
  private func size(_ index: Int) -> Int {
    let value = isLeaf ? isElsewhere(index) ? 8 : valueCount(index) : 0
    let size = Layout.nodeHeader + keyCount(index) + value
    return size + size % 2
  }

  /// Where the key is.
  func key(_ index: Int) -> Range<Int> {
    let start = node(index) + Layout.nodeHeader
    return start..<start + keyCount(index)
  }

  /// Where the value of a leaf's node is, or the number of its first page.
  func value(_ index: Int) -> Range<Int> {
    let start = key(index).upperBound
    return start..<start + (isElsewhere(index) ? 8 : valueCount(index))
  }

  /// The length of the value of a leaf's node.
  func valueCount(_ index: Int) -> Int {
    Int(bytes.number(at: node(index), UInt32.self))
  }

  func nodeFlags(_ index: Int) -> UInt16 { bytes.number(at: node(index) + 4, UInt16.self) }

  /// Whether the value of a leaf's node is on pages of its own.
  func isElsewhere(_ index: Int) -> Bool { nodeFlags(index) & Layout.isElsewhere != 0 }

  /// The page below a branch's node.
  func child(_ index: Int) -> UInt64 {
    UInt64(bytes.number(at: node(index), UInt32.self)) | UInt64(nodeFlags(index)) << 32
  }

  /// The first page of a value that is elsewhere.
  func firstPage(_ index: Int) -> UInt64 {
    bytes.number(at: value(index).lowerBound, UInt64.self)
  }

  /// The place in a branch to descend from for a key: the last node whose key is not above it.
  func childIndex(for key: UnsafeRawBufferPointer, _ order: KeyOrder) -> Int {
    firstIndex { index in unsafe index > 0 && order.isLess(key, bytes, self.key(index)) } - 1
  }

  /// The first node of a leaf whose key is not below `key`.
  func leafIndex(for key: UnsafeRawBufferPointer, _ order: KeyOrder) -> Int {
    firstIndex { index in unsafe !order.isLess(bytes, self.key(index), key) }
  }

  /// The first index for which a condition holds that then holds for all later ones.
  private func firstIndex(where holds: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// How the keys of a tree are ordered.
enum KeyOrder {
  /// As bytes, the shorter first: all tables.
  case bytes
  /// As numbers of 8 bytes, little-endian: the free list.
  case numbers

  /// Whether the key in one part of an array comes before another one.
  func isLess(_ array: [UInt8], _ range: Range<Int>, _ other: UnsafeRawBufferPointer) -> Bool {
    unsafe array.withUnsafeBytes { bytes in
      unsafe isLess(UnsafeRawBufferPointer(rebasing: bytes[range]), other)
    }
  }

  /// Whether a key comes before the one in a part of an array.
  func isLess(_ key: UnsafeRawBufferPointer, _ array: [UInt8], _ range: Range<Int>) -> Bool {
    unsafe array.withUnsafeBytes { bytes in
      unsafe isLess(key, UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  /// Whether one key comes before the other.
  func isLess(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    if self == .numbers, left.count == 8, right.count == 8 {
      return unsafe UInt64(littleEndian: left.loadUnaligned(as: UInt64.self))
        < UInt64(littleEndian: right.loadUnaligned(as: UInt64.self))
    }
    let common = min(left.count, right.count)
    if common > 0, let first = left.baseAddress, let second = right.baseAddress {
      let difference = unsafe memcmp(first, second, common)
      if difference != 0 { return difference < 0 }
    }
    return left.count < right.count
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
