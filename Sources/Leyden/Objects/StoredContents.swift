import LeydenStorage

/// What a collection holds, as it is stored.
typealias StoredContents = Contents<StoredValue>

extension StoredContents {
  /// One of the elements.
  func element(_ position: Int) -> StoredContents? {
    guard case .elements(let elements) = self, position < elements.count else { return nil }
    return .elements([elements[position]])
  }

  /// The value of a key.
  func value(of key: String) -> StoredContents? {
    guard case .entries(let entries) = self else { return nil }
    return entries.first { $0.key == key }.map { .elements([$0.value]) }
  }
}

extension CollectionReader {
  /// All that the collection holds.
  func contents() throws(StorageError) -> StoredContents {
    guard property.type == .map else { return .elements(try elements()) }
    var entries: [(key: String, value: StoredValue)] = []
    try forEachEntry {
      entries.append(($0, $1))
      return true
    }
    return .entries(entries)
  }
}
