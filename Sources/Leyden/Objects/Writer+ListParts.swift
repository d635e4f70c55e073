import LeydenStorage

/// The parts of lists in the table.
extension Writer {
  // MARK: Directories

  /// The parts of a list as the write has them, not to be changed.
  func directory(of list: CollectionKey) throws(StorageError) -> ListDirectory {
    if let known = directories[list] { return known }
    if originalEntries[list] == nil,
      let version = try committedVersion(of: Key(type: list.type, row: list.row))
    {
      return try listDirectories.directory(of: list, version: version, in: transaction)
    }
    let directory = try ListDirectory(of: list, in: transaction)
    directories[list] = directory
    return directory
  }

  /// The parts of a list, for the write to change.
  func ownDirectory(of list: WrittenCollection) throws(StorageError) -> ListDirectory {
    if let known = directories[list.identity] { return known }
    let directory = try directory(of: list.identity).copy()
    directories[list.identity] = directory
    return directory
  }

  /// The version of a row's record before the write; `nil` where the row is new.
  private func committedVersion(of key: Key) throws(StorageError) -> UInt64? {
    guard changes.types[key.type]?[key.row] == nil, let type = catalog.types[key.type] else {
      return nil
    }
    if let original = originals[key] {
      return unsafe try withBytes(of: original) { (bytes) throws(StorageError) in
        unsafe try type.view(of: bytes).version
      }
    }
    let table = try place(of: type).table
    return unsafe try transaction.value(forRow: key.row, in: table).map {
      (bytes) throws(StorageError) in unsafe try type.view(of: bytes).version
    }
  }

  /// Keeps what the write knows of lists for reading the version that it has made.
  func rememberDirectories() {
    for (list, directory) in directories where changes.types[list.type]?[list.row] != nil {
      listDirectories.remember(directory, of: list, version: version)
    }
  }

  // MARK: Parts

  /// The elements of a part.
  func elements(
    ofPart order: UInt64, _ list: WrittenCollection
  ) throws(StorageError) -> Elements {
    unsafe try withBytes(of: list.identity.part(order)) { (key) throws(StorageError) in
      guard let bytes = unsafe try transaction.value(for: key, in: try lists()) else {
        throw .corrupted("a part of \(list.property.name) of row \(list.key.row) is missing")
      }
      unsafe try Elements.verify(
        part: bytes, order: order, property: list.property.id, row: list.key.row)
      return try Elements(unsafe ElementsView(part: bytes))
    }
  }

  private func putPart(
    _ elements: Elements, _ order: UInt64, _ list: WrittenCollection
  ) throws(StorageError) {
    try putEntry(
      CollectionKey.suffix(order),
      elements.part(order: order, property: list.property.id, row: list.key.row), list)
  }

  private func removePart(_ order: UInt64, _ list: WrittenCollection) throws(StorageError) {
    try removeEntry(CollectionKey.suffix(order), list)
  }

  /// What the owner's record says of a list that holds these elements; many go into the table.
  func form(
    of elements: Elements, _ list: WrittenCollection
  ) throws(StorageError) -> CollectionForm {
    directories[list.identity] = nil
    if elements.arePacked || list.draft != nil {
      return .packed(elements.count == 0 ? [] : elements.packed)
    }
    var parts: [ListDirectory.Part] = []
    for piece in elements.pieces(areFilled: true) {
      let order = CollectionKey.firstOrder + UInt64(parts.count) * CollectionKey.orderStep
      try putPart(piece, order, list)
      parts.append(ListDirectory.Part(order: order, count: piece.count))
    }
    directories[list.identity] = ListDirectory(parts)
    return .table(count: elements.count)
  }

  /// Puts pieces in the place of one part.
  func replace(
    _ part: Int, by pieces: [Elements], _ directory: ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) {
    if pieces.count == 1 {
      try putPart(pieces[0], directory.parts[part].order, list)
      return directory.set(pieces[0].count, at: part)
    }
    guard let orders = Self.orders(for: pieces.count, inPlaceOf: part, of: directory.parts) else {
      return try renumber(part, by: pieces, directory, list)
    }
    directory.replaceSubrange(part..<part + 1, with: try put(pieces, orders, list))
  }

  private func put(
    _ pieces: [Elements], _ orders: [UInt64], _ list: WrittenCollection
  ) throws(StorageError) -> [ListDirectory.Part] {
    var parts: [ListDirectory.Part] = []
    for (piece, order) in zip(pieces, orders) {
      try putPart(piece, order, list)
      parts.append(ListDirectory.Part(order: order, count: piece.count))
    }
    return parts
  }

  /// Orders for pieces that take the place of a part; `nil` where there are not so many numbers.
  ///
  /// There is always room before the first part and behind the last one; between others the room halves
  /// with each part that is split.
  static func orders(
    for count: Int, inPlaceOf part: Int, of parts: [ListDirectory.Part]
  ) -> [UInt64]? {
    let order = parts[part].order
    let count = UInt64(count)
    if part + 1 == parts.count {
      guard (UInt64.max - order) / CollectionKey.orderStep >= count else { return nil }
      return (0..<count).map { order + $0 * CollectionKey.orderStep }
    }
    if part == 0 {
      guard order / CollectionKey.orderStep > count else { return nil }
      return (0..<count).map { order - (count - 1 - $0) * CollectionKey.orderStep }
    }
    let step = (parts[part + 1].order - order) / count
    return step == 0 ? nil : (0..<count).map { order + $0 * step }
  }

  /// Puts pieces in the place of one part and gives neighbours other orders: as few of them as have room
  /// for many more.
  private func renumber(
    _ part: Int, by pieces: [Elements], _ directory: ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) {
    let window = Self.window(around: part, for: pieces.count, of: directory.parts)
    var all: [Elements] = []
    for number in window.parts {
      let order = directory.parts[number].order
      all += number == part ? pieces : [try elements(ofPart: order, list)]
      try removePart(order, list)
    }
    let orders = (1...UInt64(all.count)).map { window.start + $0 * window.step }
    directory.replaceSubrange(window.parts, with: try put(all, orders, list))
  }

  /// Parts around one that get other orders: the first is `start` + `step`.
  static func window(
    around part: Int, for pieces: Int, of parts: [ListDirectory.Part]
  ) -> (parts: Range<Int>, start: UInt64, step: UInt64) {
    var range = part..<part + 1
    while true {
      let start = range.lowerBound == 0 ? 0 : parts[range.lowerBound - 1].order
      let end = range.upperBound == parts.count ? .max : parts[range.upperBound].order
      let step = (end - start) / UInt64(range.count - 1 + pieces + 1)
      let isAll = range.count == parts.count
      if step >= 1 << 16 || isAll { return (range, start, step) }
      range =
        max(
          range.lowerBound - range.count, 0)..<min(
          range.upperBound + range.count, parts.count)
    }
  }

  /// Writes what is left of a part, joined with a neighbour where both are short.
  func shrink(
    _ part: Int, to elements: Elements, _ directory: ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) {
    let order = directory.parts[part].order
    guard elements.count > 0 else {
      try removePart(order, list)
      return directory.replaceSubrange(part..<part + 1, with: [])
    }
    let neighbour = part + 1 < directory.parts.count ? part + 1 : part - 1
    if elements.size < Elements.partLimit / 4, neighbour >= 0 {
      let first = min(part, neighbour)
      let other = try self.elements(ofPart: directory.parts[neighbour].order, list)
      if elements.size + other.size < Elements.partLimit / 2 {
        var joined = first == part ? elements : other
        joined.append(first == part ? other : elements)
        let place = directory.parts[first].order
        try removePart(directory.parts[first + 1].order, list)
        try putPart(joined, place, list)
        return directory.replaceSubrange(
          first..<first + 2, with: [ListDirectory.Part(order: place, count: joined.count)])
      }
    }
    try putPart(elements, order, list)
    directory.set(elements.count, at: part)
  }

  /// Takes a list that became short enough out of the table.
  func packed(
    _ directory: ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) -> CollectionForm? {
    guard directory.count <= Elements.packedCount else { return nil }
    var all = Elements(width: list.coding.width)
    for part in directory.parts { all.append(try elements(ofPart: part.order, list)) }
    guard all.arePacked else { return nil }
    for part in directory.parts { try removePart(part.order, list) }
    directories[list.identity] = nil
    return .packed(all.count == 0 ? [] : all.packed)
  }
}
