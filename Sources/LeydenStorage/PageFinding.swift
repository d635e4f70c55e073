/// Something about LMDB's pages that contradicts its format.
package struct PageFinding: Error, Sendable, Hashable {
  /// What is wrong.
  package enum Kind: Sendable, CaseIterable {
    /// A page that describes the file.
    case metaPage
    /// A page that is not there, or not what leads to it says.
    case page
    /// A page to which two places lead.
    case pageReachedTwice
    /// Keys that are not in order, or outside of what the pages above say.
    case keyOrder
    /// A key that is empty or too long.
    case keyLength
    /// What is noted of a tree, against what was counted.
    case counts
    /// The list of pages to be used again.
    case freePages
    /// Pages that nothing refers to.
    case lostPages
    /// An entry beside the tables' names.
    case tableOfNames
  }

  /// What is wrong.
  package let kind: Kind
  /// The page, where one is meant.
  package let page: UInt64?
  /// The table, where one is meant.
  package let table: String?
  /// What was found, in words.
  package let text: String

  /// Whether LMDB could follow it to where there is nothing.
  var isDangerous: Bool {
    switch kind {
    case .metaPage, .page, .pageReachedTwice, .keyLength: true
    case .keyOrder, .counts, .freePages, .lostPages, .tableOfNames: false
    }
  }
}

/// Which pages of a file something was found to refer to; a bit for each page.
struct PageSet {
  private var words: [UInt64]
  /// Pages behind the end of the file: few, and their numbers may be anything.
  private var beyond: Set<UInt64> = []
  private(set) var count: UInt64 = 0

  /// Makes an empty set of the pages of a file that has about `count`.
  init(count: UInt64) { words = [UInt64](repeating: 0, count: Int(count / 64) + 1) }

  /// Adds a page; false where it is in the set already.
  mutating func insert(_ page: UInt64) -> Bool {
    guard page / 64 < words.count else {
      let isNew = beyond.insert(page).inserted
      if isNew { count += 1 }
      return isNew
    }
    let bit: UInt64 = 1 << (page % 64)
    let word = Int(page / 64)
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    count += 1
    return true
  }

  func contains(_ page: UInt64) -> Bool {
    guard page / 64 < words.count else { return beyond.contains(page) }
    return words[Int(page / 64)] & 1 << (page % 64) != 0
  }
}
