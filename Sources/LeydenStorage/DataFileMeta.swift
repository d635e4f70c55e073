extension DataFile {
  /// One of the two pages that describe the file, as LMDB 0.9 lays it out.
  struct Meta {
    static let size = 152
    private enum Offset {
      static let page = 0
      static let flags = 10
      static let magic = 16
      static let version = 20
      static let address = 24
      static let mapSize = 32
      static let pageSize = 40
      static let free = 40
      static let names = 88
      static let lastPage = 136
      static let transaction = 144
    }
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let metaPageFlag: UInt16 = 0x08
    static let version: UInt32 = 1
    static let pageSizes = 512...32_768
    /// Keys of the free list are numbers; another bit may tell of a store without a directory.
    private static let numberKeys: UInt16 = 0x08
    private static let noDirectory: UInt16 = 0x4000

    private let bytes: [UInt8]
    private let number: Int

    /// Takes a page's bytes; where some are missing it describes nothing.
    init(_ bytes: [UInt8], number: Int) {
      self.bytes = bytes.count < Self.size ? [UInt8](repeating: 0, count: Self.size) : bytes
      self.number = number
    }

    var isForeign: Bool { bytes.number(at: Offset.magic, UInt32.self) != Self.magic }
    var hasSwappedBytes: Bool {
      bytes.number(at: Offset.magic, UInt32.self) == Self.magic.byteSwapped
    }
    var version: UInt32 { bytes.number(at: Offset.version, UInt32.self) }
    var pageSize: Int { Int(bytes.number(at: Offset.pageSize, UInt32.self)) }
    var transaction: UInt64 { bytes.number(at: Offset.transaction, UInt64.self) }
    var lastPage: UInt64 { bytes.number(at: Offset.lastPage, UInt64.self) }
    /// The tree of the pages that can be used again.
    var free: TreeRecord { TreeRecord(bytes, at: Offset.free) }
    /// The tree of the tables' names.
    var names: TreeRecord { TreeRecord(bytes, at: Offset.names) }

    /// Whether the page can be what LMDB writes; bytes that it ignores are not looked at.
    var isPlausible: Bool {
      guard !isForeign, version == Self.version,
        bytes.number(at: Offset.page, UInt64.self) == UInt64(number),
        bytes.number(at: Offset.flags, UInt16.self) == Self.metaPageFlag,
        Self.pageSizes.contains(pageSize), pageSize.nonzeroBitCount == 1,
        lastPage < UInt64(Int64.max) / UInt64(pageSize), lastPage >= 1
      else { return false }
      // A transaction writes the page of its parity; the second one begins with 0 as well.
      return (transaction == 0 || transaction & 1 == UInt64(number))
        && bytes.number(at: Offset.address, UInt64.self) == 0
        && bytes.number(at: Offset.mapSize, UInt64.self) <= UInt64(Int64.max)
        && free.flags & ~Self.noDirectory == Self.numberKeys && names.flags == 0
        && bytes.number(at: Offset.names, UInt32.self) == 0
    }

    /// Whether it is as LMDB makes it, before any commit.
    var isFirst: Bool {
      transaction == 0 && lastPage == 1
        && free.root == TreeRecord.noPage && names.root == TreeRecord.noPage
    }

    /// Whether the roots are among the pages up to a last one.
    func hasRoots(upTo last: UInt64) -> Bool {
      [free, names].allSatisfy { tree in
        tree.root == TreeRecord.noPage || tree.root > 1 && tree.root <= last
      }
    }

    /// Whether the other page can be the one before or after this one.
    ///
    /// A commit in between makes it something else.
    func isNeighbour(of other: Meta) -> Bool {
      let (low, high) = (
        min(transaction, other.transaction), max(transaction, other.transaction)
      )
      return high - low == 1 || high == 0
    }
  }
}
