import Foundation

// SAFETY: bytes are lent for a call only, and stay within their array.
/// The newest version of a store as its pages are, read without LMDB's help.
///
/// LMDB follows page numbers without looking at them, so that a damaged file ends the process. Here
/// every number is checked first. A read transaction that is open meanwhile keeps the pages as they
/// are, whoever writes.
@safe
package final class PageSnapshot {
  /// The number of LMDB's transaction that made the version.
  package let transactionNumber: UInt64
  /// The number of the last page that was ever used.
  package let lastPage: UInt64
  /// The size of a page in bytes.
  package let pageSize: Int
  private let transaction: ReadTransaction
  private let file: PageFile
  private let meta: DataFile.Meta
  private var damaged: Set<String> = []
  private var isChecked = false
  private var records: [String: TreeRecord] = [:]
  /// Where the table of names, the free list and the rest of the file are told apart.
  private static let names = "names"
  private static let freeList = "free list"
  /// How often the version is taken anew where others commit twice before it could be looked up.
  private static let attempts = 1_000

  /// Takes the newest version; ends with the last reference.
  ///
  /// - Throws: As ``Environment/beginRead()``; `.corrupted` where no page describes the version that
  ///   LMDB reads.
  package init(of environment: Environment) throws(StorageError) {
    for _ in 0..<Self.attempts {
      let transaction = try environment.beginRead()
      let mapped = transaction.file
      let file = PageFile(descriptor: mapped.descriptor, pageSize: mapped.pageSize)
      let number = transaction.number
      let meta = file.meta(Int(number & 1))
      if let code = file.refusal.code {
        transaction.end()
        throw .failed(code, operation: "read \(environment.path)")
      }
      guard meta.isPlausible, meta.hasRoots(upTo: meta.lastPage), meta.transaction == number,
        meta.pageSize == file.pageSize
      else {
        transaction.end()
        continue
      }
      self.transaction = transaction
      self.file = file
      self.meta = meta
      transactionNumber = number
      lastPage = meta.lastPage
      pageSize = file.pageSize
      return
    }
    throw .corrupted("\(environment.path): no page describes the newest version")
  }

  deinit { transaction.end() }

  /// Why the system did not let a page be read, where it did not: then what is missing need not be
  /// damaged.
  package var refusal: StorageError? {
    file.refusal.code.map { .failed($0, operation: "read \(transaction.environment.path)") }
  }

  /// Looks at every page, and tells what contradicts LMDB's format.
  ///
  /// - Complexity: Reads every page of the trees once, and of long values the first one; a bit of
  ///   memory for each page of the file.
  package func check(_ report: @escaping (PageFinding) -> Void) {
    checkMetas(report)
    var walk = PageWalk(file, lastPage: meta.lastPage, report: report)
    if !walk.walk(
      meta.names, name: nil,
      visit: { page in
        for index in 0..<page.count where page.nodeFlags(index) != Page.Layout.isTree {
          report(
            PageFinding(
              kind: .tableOfNames, page: nil, table: nil,
              text: "entry \(Self.name(of: index, in: page)) is no table"))
        }
        for (name, record) in Self.tables(in: page) { self.records[name] = record }
      })
    {
      damaged.insert(Self.names)
    }
    for (name, record) in records.sorted(by: { $0.key < $1.key }) {
      if record.flags != 0 || record.pad != 0 {
        damaged.insert(name)
        report(
          PageFinding(
            kind: .tableOfNames, page: nil, table: name,
            text: "the table has the flags \(record.flags), which no table of a store has"))
      }
      if !walk.walk(record, name: name) { damaged.insert(name) }
    }
    if !walk.walk(meta.free, name: Self.freeList, order: .numbers) {
      damaged.insert(Self.freeList)
    }
    isChecked = true
    if damaged.isEmpty { checkFreePages(walk.used, report) }
  }

  /// The names of all tables.
  package var tableNames: [String] {
    if !isChecked { check { _ in } }
    return records.keys.sorted()
  }

  /// Whether the names of all tables could be read.
  package var knowsAllTables: Bool { !damaged.contains(Self.names) }

  /// The table of a name; `nil` if there is none that could be found.
  package func table(_ name: String) -> PageTree? {
    if !isChecked { check { _ in } }
    return records[name].map { PageTree(file, $0, isSound: !damaged.contains(name)) }
  }

  /// The table of a name, of which nothing was checked; `nil` if there is none that could be found.
  ///
  /// - Complexity: Reads a page for each level of the names.
  package func uncheckedTable(_ name: String) -> PageTree? {
    let names = PageTree(file, meta.names, isSound: false)
    guard let bytes = names.value(for: Array(name.utf8)), bytes.count == TreeRecord.size else {
      return nil
    }
    return PageTree(file, TreeRecord(bytes), isSound: false)
  }

  /// Calls `body` with each record of the free list: a transaction's number and how many pages
  /// ceased to be used with it.
  ///
  /// - Complexity: O(records); each reads a page of the list, or the first page of a long one.
  package func forEachFreed(_ body: (_ transaction: UInt64, _ pages: Int) -> Void) {
    let tree = PageTree(file, meta.free, order: .numbers, isSound: false)
    unsafe tree.forEach(limit: 8) { key, value in
      guard key.count == 8, value.count >= 8 else { return }
      unsafe body(
        UInt64(littleEndian: key.loadUnaligned(as: UInt64.self)),
        Int(clamping: UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))))
    }
  }

  /// The tables in a leaf of the tree of names.
  static func tables(in page: Page) -> [(String, TreeRecord)] {
    (0..<page.count).compactMap { index in
      guard page.nodeFlags(index) == Page.Layout.isTree,
        page.value(index).count == TreeRecord.size
      else { return nil }
      return (
        name(of: index, in: page), TreeRecord(page.bytes, at: page.value(index).lowerBound)
      )
    }
  }

  private static func name(of index: Int, in page: Page) -> String {
    String(decoding: page.bytes[page.key(index)], as: UTF8.self)
  }

  /// Looks at the page that is not this version's: the one before it, or a later one.
  private func checkMetas(_ report: (PageFinding) -> Void) {
    let number = 1 - Int(transactionNumber & 1)
    for _ in 0..<Self.attempts {
      let other = file.meta(number)
      let mine = file.meta(1 - number)
      guard mine.transaction == transactionNumber else {
        // Others have committed: what was read may be half of two.
        if other.isPlausible { return }
        continue
      }
      if other.isPlausible, other.isNeighbour(of: mine) { return }
    }
    report(
      PageFinding(
        kind: .metaPage, page: UInt64(number), table: nil,
        text: "meta page \(number) does not describe a version beside the newest one"))
  }

  /// Every page is used by one tree, or free, or both of it is wrong.
  private func checkFreePages(_ used: PageSet, _ report: (PageFinding) -> Void) {
    let pages = min(meta.lastPage + 1, file.count)
    var free = PageSet(count: pages)
    let tree = PageTree(file, meta.free, order: .numbers, isSound: true)
    unsafe tree.forEach { key, value in
      let number = unsafe UInt64(littleEndian: key.loadUnaligned(as: UInt64.self))
      if let problem = unsafe noteFreePages(value, &free, used) {
        report(
          PageFinding(
            kind: .freePages, page: nil, table: nil,
            text: "free pages of transaction \(number): \(problem)"))
      }
      if number > transactionNumber {
        report(
          PageFinding(
            kind: .freePages, page: nil, table: nil,
            text: "transaction \(number) of the free list has not been"))
      }
    }
    let accounted = used.count + free.count + 2
    guard accounted < meta.lastPage + 1 else { return }
    let lost = (2..<max(pages, 2)).first { !used.contains($0) && !free.contains($0) }
    report(
      PageFinding(
        kind: .lostPages, page: lost, table: nil,
        text: "\(meta.lastPage + 1 - accounted) pages are neither used nor free"))
  }

  private func noteFreePages(
    _ value: UnsafeRawBufferPointer, _ free: inout PageSet, _ used: PageSet
  ) -> String? {
    guard value.count >= 8 else { return "the list has \(value.count) bytes" }
    let count = unsafe UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
    guard count <= UInt64(value.count / 8 - 1) else { return "the list is cut off" }
    var last = UInt64.max
    for index in 1..<Int(count) + 1 {
      let page = unsafe UInt64(
        littleEndian: value.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
      guard page < last else { return "page \(page) is out of order" }
      last = page
      guard page > 1, page <= meta.lastPage else { return "page \(page) cannot be free" }
      if used.contains(page) { return "page \(page) is used" }
      guard free.insert(page) else { return "page \(page) is named twice" }
    }
    return nil
  }
}
