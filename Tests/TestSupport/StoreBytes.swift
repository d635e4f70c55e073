/// The bytes of a store's `data.mdb`, and what each of them is for.
///
/// Written from LMDB's description of its format alone, so that tests of the library's own reader
/// have something to compare it with. The file is taken for whole.
public struct StoreBytes: Sendable {
  /// What a byte is for.
  public struct Use: Sendable, Hashable {
    /// Where: `meta page`, `names`, `free list`, or the kind of the table.
    public let part: String
    /// What: `header`, `pointers`, `node`, `key`, `value`, in branch pages with `branch` before it.
    public let role: String
  }

  /// The size of a page.
  public static let pageSize = 4_096
  private static let noPage = UInt64.max

  /// The file.
  public var bytes: [UInt8]
  /// What each byte is for; `nil` for one that nobody reads.
  public private(set) var uses: [Use?]
  /// The pages that each table has, in the order of keys.
  public private(set) var pages: [String: [Int]] = [:]

  /// The positions of the bytes that are used.
  public private(set) var used: [Int] = []

  /// Finds out what each byte is for.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    uses = Array(repeating: nil, count: bytes.count)
    let meta = newestMeta * Self.pageSize
    // Flags, magic, version; the size of the map; both trees; last page and transaction.
    for range in [10..<12, 16..<24, 32..<88, 92..<152] {
      mark(meta + range.lowerBound..<meta + range.upperBound, "meta page", "header")
    }
    walk(number(meta + 128), "names", isNames: true)
    walk(number(meta + 80), "free list", isNames: false)
    used = uses.indices.filter { uses[$0] != nil }
  }

  /// The number of the meta page that describes the newest version.
  public var newestMeta: Int { number(144) > number(Self.pageSize + 144) ? 0 : 1 }

  /// A number of eight bytes.
  public func number(_ offset: Int) -> UInt64 {
    (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
  }

  /// A number of two bytes.
  public func short(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }

  /// The offsets of a page's nodes in the file, in the order of keys.
  public func nodes(of page: Int) -> [Int] {
    let start = page * Self.pageSize
    return stride(from: 16, to: short(start + 12), by: 2).map { start + short(start + $0) }
  }

  /// Whether a page leads to others.
  public func isBranch(_ page: Int) -> Bool { bytes[page * Self.pageSize + 10] == 1 }

  private mutating func mark(_ range: Range<Int>, _ part: String, _ role: String) {
    for position in range { uses[position] = Use(part: part, role: role) }
  }

  private mutating func walk(_ root: UInt64, _ table: String, isNames: Bool) {
    guard root != Self.noPage else { return }
    let page = Int(root)
    let start = page * Self.pageSize
    pages[table, default: []].append(page)
    let isBranch = isBranch(page)
    let part = Self.part(table)
    let prefix = isBranch ? "branch " : ""
    mark(start..<start + 8, part, prefix + "header")
    mark(start + 10..<start + 16, part, prefix + "header")
    mark(start + 16..<start + short(start + 12), part, prefix + "pointers")
    for (index, node) in nodes(of: page).enumerated() {
      let key = node + 8..<node + 8 + short(node + 6)
      mark(node..<node + 8, part, prefix + "node")
      if !isBranch || index > 0 { mark(key, part, prefix + "key") }
      if isBranch {
        walk(number(node) & 0xffff_ffff_ffff, table, isNames: isNames)
      } else {
        walk(valueOf: node, at: key.upperBound, table, name: isNames ? Array(bytes[key]) : nil)
      }
    }
  }

  private mutating func walk(valueOf node: Int, at start: Int, _ table: String, name: [UInt8]?) {
    let part = Self.part(table)
    let count = Int(number(node) & 0xffff_ffff)
    if short(node + 4) & 1 == 0 {
      // A tree's record begins with four bytes that are for another kind of tree.
      mark(start + (name == nil ? 0 : 4)..<start + usedCount(start, count, table), part, "value")
    } else {
      mark(start..<start + 8, part, "node")
      let first = Int(number(start)) * Self.pageSize
      mark(first..<first + 8, part, "header")
      mark(first + 10..<first + 16, part, "header")
      mark(first + 16..<first + 16 + usedCount(first + 16, count, table), part, "value")
    }
    if let name { walk(number(start + 40), String(decoding: name, as: UTF8.self), isNames: false) }
  }

  /// A record of the free list may be longer than what it says.
  private func usedCount(_ start: Int, _ count: Int, _ table: String) -> Int {
    table == "free list" ? Int(number(start) + 1) * 8 : count
  }

  private static func part(_ table: String) -> String {
    guard let first = table.first, Int(table.dropFirst()) != nil else { return table }
    return first == "t" ? "records" : first == "i" ? "indexes" : table
  }
}
