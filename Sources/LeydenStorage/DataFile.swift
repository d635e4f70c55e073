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
    /// Begun by a process that was killed before it was written to the end: it never held anything.
    case unfinished
    case usable
  }

  /// Looks at the file without locking or changing it.
  ///
  /// Where the file system gives writers a copy and `mayCopy` allows it, the file is copied.
  ///
  /// - Throws: `.notAStore`, `.newerFormat` or `.corrupted` for what LMDB should not be given;
  ///   `.permissionDenied` where the file may not be opened as intended.
  static func inspect(
    in directory: StoreDirectory, forWriting: Bool, mayCopy: Bool = true
  ) throws(StorageError) -> State {
    let path = directory.path(of: StoreDirectory.Name.data)
    guard let status = try directory.status(of: StoreDirectory.Name.data) else { return .missing }
    // A pipe would make the next call wait for ever.
    guard status.is_file else {
      throw .notAStore(path: directory.path, reason: "data.mdb is not a file")
    }
    let mayCopy = mayCopy && FileSystem.copiesOnWrite(directory)
    let descriptor = try open(in: directory, forWriting: forWriting, mayCopy: mayCopy)
    defer { close(descriptor) }
    guard status.size > 0 else {
      guard commitsSeen(directory) ?? 0 == 0 else {
        throw .corrupted("\(path) is empty, and held something before")
      }
      return .empty
    }
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
    guard let newest = metas.max(by: { $0.transaction < $1.transaction }) else {
      return .unfinished
    }
    // Another process that has the store open has looked before, and may write under the walk.
    if try isOpenElsewhere(directory) { return .usable }
    let file = PageFile(descriptor: descriptor, pageSize: newest.pageSize)
    let result = Result { () throws(StorageError) in
      try check(file, metas, newest: newest, path: path)
    }
    // What could not be read need not be damaged.
    try requireRead(file, path: path)
    try result.get()
    return .usable
  }

  /// Where that cannot be found out nobody is expected to write.
  private static func isOpenElsewhere(
    _ directory: StoreDirectory
  ) throws(StorageError) -> Bool {
    do { return try directory.isOpenElsewhere() } catch .permissionDenied { return false }
  }

  private static func requireRead(_ file: PageFile, path: String) throws(StorageError) {
    if let code = file.refusal.code { throw .system(code.code, at: path, operation: "read") }
  }

  private static func check(
    _ file: PageFile, _ metas: [Meta], newest: Meta, path: String
  ) throws(StorageError) {
    // Where LMDB could not write one of the pages whole it puts back the number and the last page that
    // were there before, and leaves the new roots: nobody reads that page, which is the older one.
    guard metas[0].isNeighbour(of: metas[1]), newest.hasRoots(upTo: newest.lastPage),
      metas.allSatisfy({ $0.hasRoots(upTo: max(file.count, newest.lastPage)) })
    else { throw .corrupted("\(path): one of the first two pages is damaged") }
    try checkLength(file, newest: newest, path: path)
    try checkWayToTables(file, newest: newest, path: path)
  }

  private static func open(
    in directory: StoreDirectory, forWriting: Bool, mayCopy: Bool
  ) throws(StorageError) -> Int32 {
    let name = StoreDirectory.Name.data
    if forWriting || mayCopy {
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

  /// Reads both meta pages and refuses what is not from LMDB 0.9; none where the file never held
  /// anything.
  private static func metas(
    _ descriptor: Int32, path: String, directory: StoreDirectory
  ) throws(StorageError) -> [Meta] {
    let file = PageFile(descriptor: descriptor, pageSize: 0)
    let first = file.meta(0)
    try requireRead(file, path: path)
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
    let whole = PageFile(descriptor: descriptor, pageSize: first.pageSize)
    let second = whole.meta(1)
    let count = whole.count
    try requireRead(whole, path: path)
    if count < 2, first.isPlausible, first.isFirst, hasSeenNothing(directory) { return [] }
    guard first.isPlausible, second.isPlausible, first.pageSize == second.pageSize
    else { throw .corrupted("\(path): one of the first two pages is damaged or missing") }
    return [first, second]
  }

  /// Whether LMDB's lock file knows that nothing was ever committed.
  ///
  /// LMDB writes both pages at once, before anything else. Of a file that ends before, the first page
  /// alone does not tell a store that was never made from one that was cut off after one commit.
  private static func hasSeenNothing(_ directory: StoreDirectory) -> Bool {
    guard (try? directory.isOpenElsewhere()) == false else { return false }
    return commitsSeen(directory) == 0
  }

  /// The number of the newest commit that LMDB's lock file knows of; `nil` where it tells nothing.
  private static func commitsSeen(_ directory: StoreDirectory) -> UInt64? {
    let descriptor = directory.open(StoreDirectory.Name.lock, flags: O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return LockFile(descriptor)?.newestTransaction
  }

  /// Refuses a file from whose end something is missing.
  ///
  /// Pages that were taken and freed again in one transaction are never written: a file may be
  /// shorter than its last page number says. Only where it is, the trees are walked.
  private static func checkLength(
    _ file: PageFile, newest: Meta, path: String
  ) throws(StorageError) {
    let expected = newest.lastPage + 1
    let found = file.count
    guard found < expected else { return }
    let problem = firstDanger(in: file, newest, walksTables: { _ in true })
    guard problem == nil else {
      let size = UInt64(newest.pageSize)
      throw .corrupted("\(path) is cut off: \(found * size) bytes of up to \(expected * size)")
    }
  }

  /// Refuses a file in which LMDB would lose its way while it opens the tables.
  ///
  /// Walks the names, `meta` and `catalog`, looks at the root of each other table, and goes to the
  /// end of the log: everything that opening a store reads, and some pages only.
  private static func checkWayToTables(
    _ file: PageFile, newest: Meta, path: String
  ) throws(StorageError) {
    let whole: Set = ["meta", "catalog"]
    if let problem = firstDanger(in: file, newest, walksTables: whole.contains) {
      throw .corrupted("\(path): \(problem.text)")
    }
  }

  /// The first thing that LMDB could follow out of the file.
  private static func firstDanger(
    in file: PageFile, _ newest: Meta, walksTables: (String) -> Bool
  ) -> PageFinding? {
    let found = FirstDanger()
    // What another program has in its file is not ours to judge.
    let ours: Set = ["meta", "catalog", "log", "large"]
    var walk = PageWalk(file, lastPage: newest.lastPage) { found.note($0) }
    var tables: [String: TreeRecord] = [:]
    _ = walk.walk(newest.names, name: nil) { page in
      for (name, record) in PageSnapshot.tables(in: page) { tables[name] = record }
    }
    if walksTables("free list") {
      _ = walk.walk(newest.free, name: "free list", order: .numbers)
    } else if !walk.canReachEnd(of: newest.free) {
      found.note(.page, newest.free.root, "the list of free pages cannot be reached")
    }
    for (name, record) in tables.sorted(by: { $0.key < $1.key }) {
      if record.flags != 0, ours.contains(name) {
        found.note(.page, record.root, "table \(name) has the flags \(record.flags)")
      } else if walksTables(name) {
        _ = walk.walk(record, name: name)
      } else if !walk.isReachable(record) || name == "log" && !walk.canReachEnd(of: record) {
        found.note(.page, record.root, "table \(name) cannot be reached")
      }
    }
    return found.first
  }

  private final class FirstDanger {
    private(set) var first: PageFinding?

    func note(_ finding: PageFinding) {
      if first == nil, finding.isDangerous { first = finding }
    }

    func note(_ kind: PageFinding.Kind, _ page: UInt64, _ text: String) {
      note(PageFinding(kind: kind, page: page, table: nil, text: text))
    }
  }
}
