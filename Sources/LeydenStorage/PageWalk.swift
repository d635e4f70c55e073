import Foundation

// SAFETY: bytes are lent for a call only, and stay within their array.
/// A walk over all trees of a `data.mdb`, without LMDB.
///
/// It reads each page once with `pread`, whatever page numbers it finds, and tells what contradicts
/// LMDB's format. The pages have to stay as they are meanwhile: nobody writes, or a read transaction
/// of the same version is open.
@safe
struct PageWalk {
  private let file: PageFile
  /// One more than the last page that may be used.
  private let limit: UInt64
  private let report: (PageFinding) -> Void
  /// The pages of all trees.
  private(set) var used: PageSet

  /// What was counted in one tree.
  private struct Tree {
    let name: String?
    let order: KeyOrder
    let depth: Int
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var valuePages: UInt64 = 0
    var entries: UInt64 = 0
    var isSound = true
    /// Called with each leaf.
    var visit: ((Page) -> Void)?
  }

  /// Where the keys of a page have to lie.
  private struct Bounds {
    var from: [UInt8]?
    var to: [UInt8]?

    func contain(_ key: UnsafeRawBufferPointer, _ order: KeyOrder) -> Bool {
      if let from, unsafe from.withUnsafeBytes({ unsafe order.isLess(key, $0) }) { return false }
      if let to { return unsafe to.withUnsafeBytes { unsafe order.isLess(key, $0) } }
      return true
    }
  }

  init(_ file: PageFile, lastPage: UInt64, report: @escaping (PageFinding) -> Void) {
    self.file = file
    self.report = report
    // What is behind the end of the file can be in the free list only.
    limit = min(lastPage &+ 1, file.count)
    used = PageSet(count: limit)
  }

  /// Walks one tree and compares it with what is noted of it.
  ///
  /// - Returns: Whether everything in it is right.
  mutating func walk(
    _ record: TreeRecord, name: String?, order: KeyOrder = .bytes, visit: ((Page) -> Void)? = nil
  ) -> Bool {
    var tree = Tree(name: name, order: order, depth: record.depth, visit: visit)
    if record.root == TreeRecord.noPage {
      if record.depth != 0 { note(.counts, nil, "is empty and has \(record.depth) levels", &tree) }
    } else {
      descend(to: record.root, level: 1, Bounds(), &tree)
    }
    guard tree.isSound else { return false }
    for (noted, counted, what) in [
      (record.branchPages, tree.branchPages, "branch pages"),
      (record.leafPages, tree.leafPages, "leaf pages"),
      (record.valuePages, tree.valuePages, "pages of long values"),
      (record.entries, tree.entries, "entries"),
    ] where noted != counted {
      note(.counts, record.root, "has \(counted) \(what) and notes \(noted)", &tree)
    }
    return tree.isSound
  }

  private mutating func descend(
    to number: UInt64, level: Int, _ bounds: Bounds, _ tree: inout Tree
  ) {
    guard claim(number, pages: 1, &tree) else { return }
    guard level <= tree.depth, level <= Page.Layout.deepest else {
      return note(.page, number, "is deeper than the \(tree.depth) levels that are noted", &tree)
    }
    let page: Page
    switch file.page(number) {
    case .success(let found): page = found
    case .failure(let problem): return note(.page, number, problem.text, &tree)
    }
    checkKeys(of: page, number, bounds, &tree)
    guard page.isLeaf else {
      tree.branchPages += 1
      // A branch of one child is never written, one without any has no way down.
      guard page.count > 1 else {
        return note(.page, number, "page \(number) leads to \(page.count) pages", &tree)
      }
      for index in 0..<page.count {
        var inner = bounds
        if index > 0 { inner.from = Array(page.bytes[page.key(index)]) }
        if index + 1 < page.count { inner.to = Array(page.bytes[page.key(index + 1)]) }
        descend(to: page.child(index), level: level + 1, inner, &tree)
      }
      return
    }
    tree.leafPages += 1
    guard level == tree.depth else {
      return note(
        .page, number, "page \(number) is at level \(level) of \(tree.depth) and a leaf", &tree)
    }
    guard page.count > 0 else {
      return note(.page, number, "page \(number) has no entries", &tree)
    }
    tree.entries += UInt64(page.count)
    for index in 0..<page.count { checkValue(index, of: page, number, &tree) }
    tree.visit?(page)
  }

  private mutating func checkKeys(
    of page: Page, _ number: UInt64, _ bounds: Bounds, _ tree: inout Tree
  ) {
    let order = tree.order
    // The first key of a branch is not looked at by anybody.
    let first = page.isLeaf ? 0 : 1
    for index in stride(from: first, to: page.count, by: 1) {
      let range = page.key(index)
      let lengths = order == .numbers ? 8...8 : 1...Page.Layout.longestKey
      if !lengths.contains(range.count) {
        note(.keyLength, number, "page \(number) has a key of \(range.count) bytes", &tree)
      }
      let isInOrder = unsafe page.bytes.withUnsafeBytes { bytes in
        let key = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
        if index > first {
          let last = unsafe UnsafeRawBufferPointer(rebasing: bytes[page.key(index - 1)])
          guard unsafe order.isLess(last, key) else { return false }
        }
        return unsafe bounds.contain(key, order)
      }
      if !isInOrder {
        note(.keyOrder, number, "key \(index) of page \(number) is out of order", &tree)
      }
    }
  }

  private mutating func checkValue(
    _ index: Int, of page: Page, _ number: UInt64, _ tree: inout Tree
  ) {
    let flags = page.nodeFlags(index)
    guard flags & ~(Page.Layout.isElsewhere | Page.Layout.isTree) == 0 else {
      return note(.page, number, "entry \(index) of page \(number) has the flags \(flags)", &tree)
    }
    let isTree = flags == Page.Layout.isTree
    if tree.name != nil && isTree {
      note(.page, number, "entry \(index) of page \(number) is a tree inside a table", &tree)
    }
    guard page.isElsewhere(index) else { return }
    let first = page.firstPage(index)
    let count = page.valueCount(index)
    let pages = file.pagesForValue(of: count)
    if case .failure(let problem) = file.longValue(first, count: count, limit: 0) {
      return note(.page, first, problem.text, &tree)
    }
    if claim(first, pages: pages, &tree) { tree.valuePages += pages }
  }

  private mutating func claim(_ number: UInt64, pages: UInt64, _ tree: inout Tree) -> Bool {
    guard number > 1, number < limit, pages <= limit - number else {
      note(.page, number, "page \(number) is not in the file", &tree)
      return false
    }
    for page in number..<number + pages where !used.insert(page) {
      note(.pageReachedTwice, page, "two places lead to page \(page)", &tree)
      return false
    }
    return true
  }

  private func note(_ kind: PageFinding.Kind, _ page: UInt64?, _ text: String, _ tree: inout Tree) {
    tree.isSound = false
    report(PageFinding(kind: kind, page: page, table: tree.name, text: text))
  }
}

extension PageWalk {
  /// Whether a table can be reached at all: its root is there and has the right shape.
  func isReachable(_ record: TreeRecord) -> Bool {
    guard record.root != TreeRecord.noPage else { return true }
    guard record.root < limit, (1...Page.Layout.deepest).contains(record.depth),
      case .success = file.page(record.root)
    else { return false }
    return true
  }

  /// Whether LMDB can go to the last entry of a table.
  func canReachEnd(of record: TreeRecord) -> Bool {
    var number = record.root
    if number == TreeRecord.noPage { return true }
    for level in 1...max(record.depth, 1) {
      guard level <= Page.Layout.deepest, number < limit,
        case .success(let page) = file.page(number), page.count > 0
      else { return false }
      if page.isLeaf { return level == record.depth }
      number = page.child(page.count - 1)
    }
    return false
  }
}
