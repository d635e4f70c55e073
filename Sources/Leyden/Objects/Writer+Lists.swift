import LeydenStorage

/// Changes of lists. No change but `removeAll` reads or writes more than a few parts, however long the list
/// is.
extension Writer {
  /// Puts elements before the one at a position, or behind all.
  ///
  /// The position is at most the list's count.
  func insert(
    _ values: [StoredValue], at position: Int, _ list: WrittenCollection
  ) throws(StoreError) {
    guard !values.isEmpty else { return }
    try change(list) { () throws(StorageError) in
      let elements = try values.map { (value) throws(StorageError) in try element(value, list) }
      try insert(elements, at: position, list)
      for value in values { try addLinks(of: value, list) }
    }
  }

  /// Puts elements behind all.
  func append(_ values: [StoredValue], _ list: WrittenCollection) throws(StoreError) {
    let count = try storage { () throws(StorageError) in try reader(of: list).count() }
    try insert(values, at: count, list)
  }

  /// Removes elements: those in ranges, of which one begins where the one before ends, or later.
  func remove(_ ranges: [Range<Int>], _ list: WrittenCollection) throws(StoreError) {
    try exchange(try elements(in: ranges, list), in: list) { () throws(StoreError) in
      for range in ranges.reversed() where !range.isEmpty {
        try change(list) { () throws(StorageError) in
          for element in try take(range, list) { try release(element, list) }
        }
      }
    }
  }

  /// Puts elements in place of others.
  func replace(
    _ range: Range<Int>, with values: [StoredValue], _ list: WrittenCollection
  ) throws(StoreError) {
    try exchange(try elements(in: [range], list), by: values, in: list) { () throws(StoreError) in
      try remove([range], list)
      try insert(values, at: range.lowerBound, list)
    }
  }

  /// Puts an element in place of the one at a position; an equal one changes nothing.
  func replace(
    at position: Int, with value: StoredValue, _ list: WrittenCollection
  ) throws(StoreError) {
    let old = try storage { () throws(StorageError) in
      try reader(of: list).element(position, directory(of:))
    }
    if let old, old.isIdentical(to: value) { return }
    try exchange([old ?? .null], by: [value], in: list) { () throws(StoreError) in
      try change(list) { () throws(StorageError) in
        let new = try element(value, list)
        try addLinks(of: value, list)
        try release(try replace(at: position, with: new, list), list)
      }
    }
  }

  /// Moves an element to the position that it has afterwards.
  func move(from: Int, to: Int, _ list: WrittenCollection) throws(StoreError) {
    guard from != to else { return }
    try change(list) { () throws(StorageError) in
      try insert(try take(from..<from + 1, list), at: to, list)
    }
  }

  /// Moves elements, in their order, before the one that is at a position now, or behind all.
  func move(_ positions: [Int], before position: Int, _ list: WrittenCollection) throws(StoreError)
  {
    try change(list) { () throws(StorageError) in
      var moved: [[UInt8]?] = []
      for position in positions.reversed() {
        moved += try take(position..<position + 1, list)
      }
      let place = position - positions.count { $0 < position }
      try insert(moved.reversed(), at: place, list)
    }
  }

  /// Exchanges two elements.
  func swap(_ left: Int, _ right: Int, _ list: WrittenCollection) throws(StoreError) {
    guard left != right else { return }
    try change(list) { () throws(StorageError) in
      let element = try storedElement(left, list)
      _ = try replace(at: left, with: try replace(at: right, with: element, list), list)
    }
  }

  /// Removes all elements of a list, a set or a map.
  func removeAll(_ collection: WrittenCollection) throws(StoreError) {
    guard try storage({ () throws(StorageError) in try reader(of: collection).count() > 0 }) else {
      return
    }
    try exchange(try elements(of: collection), in: collection) { () throws(StoreError) in
      try change(collection) { () throws(StorageError) in
        try releaseAll(collection)
        try put(.packed([]), collection)
      }
    }
  }

  // MARK: Stored elements

  private func elements(
    in ranges: [Range<Int>], _ list: WrittenCollection
  ) throws(StorageError) -> [StoredValue] {
    let reader = try reader(of: list)
    var elements: [StoredValue] = []
    for position in ranges.joined() {
      if let element = try reader.element(position, directory(of:)) { elements.append(element) }
    }
    return elements
  }

  private func insert(
    _ new: [[UInt8]?], at position: Int, _ list: WrittenCollection
  ) throws(StorageError) {
    switch try reader(of: list).form {
    case .packed(let bytes):
      var elements = try unpacked(bytes, list)
      elements.insert(contentsOf: new, at: position)
      try put(try form(of: elements, list), list)
    case .table:
      let directory = try ownDirectory(of: list)
      let isAtEnd = position == directory.count
      let (part, offset) = try place(of: position, directory, list)
      var elements = try elements(ofPart: directory.parts[part].order, list)
      elements.insert(contentsOf: new, at: offset)
      try replace(part, by: elements.pieces(areFilled: isAtEnd), directory, list)
      try put(.table(count: directory.count), list)
    }
  }

  /// Removes elements and returns them, as they were stored.
  private func take(
    _ range: Range<Int>, _ list: WrittenCollection
  ) throws(StorageError) -> [[UInt8]?] {
    switch try reader(of: list).form {
    case .packed(let bytes):
      var elements = try unpacked(bytes, list)
      let taken = elements.removeSubrange(range)
      try put(.packed(elements.count == 0 ? [] : elements.packed), list)
      return taken
    case .table:
      let directory = try ownDirectory(of: list)
      var taken: [[UInt8]?] = []
      while taken.count < range.count {
        let (part, offset) = try place(of: range.lowerBound, directory, list)
        var elements = try elements(ofPart: directory.parts[part].order, list)
        let end = min(offset + range.count - taken.count, elements.count)
        guard end > offset else { throw missing(range.lowerBound, list) }
        taken += elements.removeSubrange(offset..<end)
        try shrink(part, to: elements, directory, list)
      }
      try put(try packed(directory, list) ?? .table(count: directory.count), list)
      return taken
    }
  }

  /// Puts an element in the place of another one, and returns that.
  private func replace(
    at position: Int, with new: [UInt8]?, _ list: WrittenCollection
  ) throws(StorageError) -> [UInt8]? {
    switch try reader(of: list).form {
    case .packed(let bytes):
      var elements = try unpacked(bytes, list)
      let old = elements[position]
      elements.replace(at: position, with: new)
      try put(try form(of: elements, list), list)
      return old
    case .table:
      let directory = try ownDirectory(of: list)
      let (part, offset) = try place(of: position, directory, list)
      var elements = try elements(ofPart: directory.parts[part].order, list)
      let old = elements[offset]
      elements.replace(at: offset, with: new)
      try replace(part, by: elements.pieces(areFilled: false), directory, list)
      try put(try packed(directory, list) ?? .table(count: directory.count), list)
      return old
    }
  }

  /// The element at a position, as it is stored.
  private func storedElement(
    _ position: Int, _ list: WrittenCollection
  ) throws(StorageError) -> [UInt8]? {
    switch try reader(of: list).form {
    case .packed(let bytes): return try unpacked(bytes, list)[position]
    case .table:
      let directory = try directory(of: list.identity)
      let (part, offset) = try place(of: position, directory, list)
      return try elements(ofPart: directory.parts[part].order, list)[offset]
    }
  }

  private func place(
    of position: Int, _ directory: ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) -> (part: Int, offset: Int) {
    guard let place = directory.find(position) else { throw missing(position, list) }
    return place
  }

  private func missing(
    _ position: Int, _ list: WrittenCollection
  ) -> StorageError {
    .corrupted("\(list.property.name) of row \(list.key.row) has no position \(position)")
  }

  private func unpacked(
    _ bytes: [UInt8], _ list: WrittenCollection
  ) throws(StorageError) -> Elements {
    guard !bytes.isEmpty else { return Elements(width: list.coding.width) }
    return unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      try Elements(unsafe ElementsView(packed: bytes, width: list.coding.width))
    }
  }
}
