import LeydenStorage

/// The parts of a list in the table: their orders, and how many elements each holds.
struct ListDirectory {
  /// One part.
  struct Part {
    let order: UInt64
    var count: Int
  }

  var parts: [Part] = []

  /// Reads the parts' headers.
  ///
  /// - Complexity: O(*p*) for *p* parts of about 200 elements each.
  init(of list: CollectionKey, in transaction: Transaction) throws(StorageError) {
    var parts: [Part] = []
    unsafe try list.forEach(in: transaction) { (suffix, value) throws(StorageError) in
      guard suffix.count == 8 else { throw .corrupted("a list has a key of another kind") }
      let order = unsafe suffix.reduce(0) { $0 << 8 | UInt64($1) }
      parts.append(Part(order: order, count: unsafe try ElementsView(part: value).count))
      return true
    }
    self.parts = parts
  }

  /// The number of elements.
  var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// The part that holds an element, and its position there; for the position behind the last element
  /// that behind the last part's elements.
  func find(_ position: Int) -> (part: Int, offset: Int)? {
    var rest = position
    for (number, part) in parts.enumerated() {
      if rest < part.count || (rest == part.count && number == parts.count - 1) {
        return (number, rest)
      }
      rest -= part.count
    }
    return nil
  }
}
