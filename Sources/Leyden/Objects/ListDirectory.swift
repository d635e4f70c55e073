import LeydenStorage

/// The parts of a list in the table: their orders, and how many elements each holds.
final class ListDirectory {
  /// One part.
  struct Part {
    let order: UInt64
    var count: Int
  }

  /// The parts, in order.
  private(set) var parts: [Part]
  /// The number of elements.
  private(set) var count = 0
  /// How many elements the parts of each stretch hold: who looks for a position passes over those.
  private var sums: [Int] = []
  private static let stretch = 32

  init(_ parts: [Part]) {
    self.parts = parts
    sum(from: 0)
  }

  /// Reads the parts' headers.
  ///
  /// - Complexity: O(*p*) for *p* parts of about 200 elements each.
  convenience init(of list: CollectionKey, in transaction: Transaction) throws(StorageError) {
    var parts: [Part] = []
    unsafe try list.forEach(in: transaction) { (suffix, value) throws(StorageError) in
      parts.append(
        Part(
          order: unsafe try CollectionKey.order(suffix),
          count: unsafe try ElementsView(part: value).count))
      return true
    }
    self.init(parts)
  }

  /// One to be changed by itself.
  func copy() -> ListDirectory { ListDirectory(parts) }

  /// The part that holds an element, and its position there; for the position behind the last element
  /// that behind the last part's elements.
  ///
  /// - Complexity: O(*p* / 32).
  func find(_ position: Int) -> (part: Int, offset: Int)? {
    guard let last = parts.last, position >= 0, position <= count else { return nil }
    if position == count { return (parts.count - 1, last.count) }
    var rest = position
    var part = 0
    for sum in sums {
      if rest < sum { break }
      rest -= sum
      part += Self.stretch
    }
    while rest >= parts[part].count {
      rest -= parts[part].count
      part += 1
    }
    return (part, rest)
  }

  /// Notes how many elements a part has now.
  func set(_ count: Int, at part: Int) {
    let difference = count - parts[part].count
    parts[part].count = count
    sums[part / Self.stretch] += difference
    self.count += difference
  }

  /// Puts parts in the place of others.
  func replaceSubrange(_ range: Range<Int>, with new: [Part]) {
    parts.replaceSubrange(range, with: new)
    sum(from: range.lowerBound / Self.stretch)
  }

  private func sum(from first: Int) {
    sums.removeSubrange(min(first, sums.count)...)
    for start in stride(from: sums.count * Self.stretch, to: parts.count, by: Self.stretch) {
      sums.append(
        parts[start..<min(start + Self.stretch, parts.count)].reduce(0) { $0 + $1.count })
    }
    count = sums.reduce(0, +)
  }
}

/// The parts of the lists that were used last, as committed versions have them.
///
/// A list is the same as long as its owner's record has the same version: each change of it writes that
/// record again.
final class ListDirectories {
  private var known: [CollectionKey: (version: UInt64, directory: ListDirectory)] = [:]
  private static let limit = 64

  /// The parts of a list, not to be changed; the version is that of its owner's record, as it was committed.
  func directory(
    of list: CollectionKey, version: UInt64, in transaction: Transaction
  ) throws(StorageError) -> ListDirectory {
    if let found = known[list], found.version == version { return found.directory }
    let directory = try ListDirectory(of: list, in: transaction)
    remember(directory, of: list, version: version)
    return directory
  }

  /// Keeps the parts of a list, which nobody changes from now on.
  func remember(_ directory: ListDirectory, of list: CollectionKey, version: UInt64) {
    if known.count >= Self.limit, known[list] == nil { known = [:] }
    known[list] = (version, directory)
  }
}
