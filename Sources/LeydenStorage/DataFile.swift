import CLeyden
import Foundation

/// The file `data.mdb` before LMDB sees it.
///
/// LMDB trusts the file: a short or foreign one ends the process later, by a signal. What can be
/// told from the two meta pages is therefore checked first.
enum DataFile {
  /// What was found.
  enum State: Equatable {
    case missing
    /// Of no length: LMDB takes it for new.
    case empty
    case usable
  }

  /// One of the two pages that describe the file, as LMDB 0.9 lays it out.
  struct Meta {
    static let size = 152
    private enum Offset {
      static let flags = 10
      static let magic = 16
      static let version = 20
      static let pageSize = 40
      static let freeRoot = 80
      static let mainRoot = 128
      static let lastPage = 136
      static let transaction = 144
    }
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let metaPageFlag: UInt16 = 0x08
    /// A root that stands for an empty tree.
    private static let noPage = UInt64.max
    static let version: UInt32 = 1
    static let pageSizes = 512...32_768

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isForeign: Bool {
      bytes.count < Self.size || bytes.number(at: Offset.magic, UInt32.self) != Self.magic
    }
    var hasSwappedBytes: Bool {
      bytes.count >= Self.size
        && bytes.number(at: Offset.magic, UInt32.self) == Self.magic.byteSwapped
    }
    var version: UInt32 { bytes.number(at: Offset.version, UInt32.self) }
    var pageSize: Int { Int(bytes.number(at: Offset.pageSize, UInt32.self)) }
    var transaction: UInt64 { bytes.number(at: Offset.transaction, UInt64.self) }
    var lastPage: UInt64 { bytes.number(at: Offset.lastPage, UInt64.self) }
    /// The roots of the free list and of the table of names, without those of empty trees.
    var roots: [UInt64] {
      [Offset.freeRoot, Offset.mainRoot].map { bytes.number(at: $0, UInt64.self) }
        .filter { $0 != Self.noPage }
    }
    var isPlausible: Bool {
      bytes.number(at: Offset.flags, UInt16.self) & Self.metaPageFlag != 0
        && Self.pageSizes.contains(pageSize) && pageSize.nonzeroBitCount == 1
        && lastPage < UInt64(Int64.max) / UInt64(pageSize) && lastPage >= 1
        && roots.allSatisfy { $0 > 1 && $0 <= lastPage }
    }
  }

  /// Looks at the file without locking or changing it.
  ///
  /// - Throws: `.notAStore`, `.newerFormat` or `.corrupted` for what LMDB should not be given;
  ///   `.permissionDenied` where the file may not be opened as intended.
  static func inspect(
    in directory: StoreDirectory, forWriting: Bool
  ) throws(StorageError) -> State {
    let path = directory.path(of: StoreDirectory.Name.data)
    guard let status = try directory.status(of: StoreDirectory.Name.data) else { return .missing }
    // A pipe would make the next call wait for ever.
    guard status.is_file else {
      throw .notAStore(path: directory.path, reason: "data.mdb is not a file")
    }
    let descriptor = try open(in: directory, forWriting: forWriting)
    defer { close(descriptor) }
    guard status.size > 0 else { return .empty }
    // What looks damaged may be a commit of another process that is seen half.
    for _ in 0..<attempts {
      do {
        return try inspect(descriptor, path: path, directory: directory)
      } catch .corrupted {
        usleep(pauseInMicroseconds)
      }
    }
    return try inspect(descriptor, path: path, directory: directory)
  }

  private static let attempts = 3
  private static let pauseInMicroseconds: UInt32 = 10_000

  private static func inspect(
    _ descriptor: Int32, path: String, directory: StoreDirectory
  ) throws(StorageError) -> State {
    let metas = try metas(descriptor, path: path, directory: directory)
    guard let newest = metas.max(by: { $0.transaction < $1.transaction }) else { return .empty }
    try checkLength(descriptor, newest: newest, path: path, directory: directory)
    return .usable
  }

  private static func open(
    in directory: StoreDirectory, forWriting: Bool
  ) throws(StorageError) -> Int32 {
    let name = StoreDirectory.Name.data
    if forWriting || FileSystem.copiesOnWrite(directory) {
      let descriptor = directory.open(name, flags: O_RDWR)
      if descriptor >= 0 { return descriptor }
      if forWriting { throw .system(errno, at: directory.path(of: name), operation: "open") }
    }
    let descriptor = directory.open(name, flags: O_RDONLY)
    guard descriptor >= 0 else {
      throw .system(errno, at: directory.path(of: name), operation: "open")
    }
    return descriptor
  }

  /// Reads both meta pages and refuses what is not from LMDB 0.9.
  private static func metas(
    _ descriptor: Int32, path: String, directory: StoreDirectory
  ) throws(StorageError) -> [Meta] {
    let first = Meta(read(descriptor, at: 0))
    guard !first.isForeign else {
      let reason =
        first.hasSwappedBytes
        ? "data.mdb comes from a machine of another byte order"
        : "data.mdb is not a file of LMDB"
      throw .notAStore(path: directory.path, reason: reason)
    }
    // Whatever is above stands in another layout, in which page sizes cannot be looked up.
    if first.version > Meta.version { throw .newerFormat(path: path, found: first.version) }
    guard first.version == Meta.version, Meta.pageSizes.contains(first.pageSize) else {
      throw .corrupted("\(path): the first page is damaged")
    }
    let second = Meta(read(descriptor, at: first.pageSize))
    guard first.isPlausible, !second.isForeign, second.version == Meta.version,
      second.isPlausible, first.pageSize == second.pageSize
    else { throw .corrupted("\(path): one of the first two pages is damaged or missing") }
    return [first, second]
  }

  /// Refuses a file from whose end something is missing.
  ///
  /// Pages that were taken and freed again in one transaction are never written: a file may be
  /// shorter than its last page number says. Only where it is, the trees are walked; and not where
  /// another process has the store open, which has looked before, and may write under the walk.
  private static func checkLength(
    _ descriptor: Int32, newest: Meta, path: String, directory: StoreDirectory
  ) throws(StorageError) {
    var status = leyden_file_status()
    guard unsafe leyden_file_status_of(descriptor, &status) == 0 else {
      throw .system(errno, at: path, operation: "stat")
    }
    let length = UInt64(status.size)
    let expected = (newest.lastPage + 1) * UInt64(newest.pageSize)
    guard length < expected,
      unsafe !leyden_lock_file_in_use(directory.descriptor, StoreDirectory.Name.lock)
    else { return }
    var walk = DataFileWalk(descriptor: descriptor, pageSize: newest.pageSize, length: length)
    guard walk.isWhole(roots: newest.roots) else {
      throw .corrupted("\(path) is cut off: \(length) bytes of up to \(expected)")
    }
  }

  private static func read(_ descriptor: Int32, at offset: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Meta.size) { buffer, count in
      count = max(0, unsafe pread(descriptor, buffer.baseAddress, Meta.size, off_t(offset)))
    }
  }
}
