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

  /// Removes elements.
  func remove(_ range: Range<Int>, _ list: WrittenCollection) throws(StoreError) {
    guard !range.isEmpty else { return }
    try change(list) { () throws(StorageError) in
      for element in try take(range, list) { try release(element, list) }
    }
  }

  /// Puts an element in place of the one at a position; an equal one changes nothing.
  func replace(
    at position: Int, with value: StoredValue, _ list: WrittenCollection
  ) throws(StoreError) {
    var directory = directories[list.identity]
    let old = try storage { () throws(StorageError) in
      try reader(of: list).element(position, &directory)
    }
    if let old, old.isIdentical(to: value) { return }
    try change(list) { () throws(StorageError) in
      let new = try element(value, list)
      try addLinks(of: value, list)
      try release(try replace(at: position, with: new, list), list)
    }
  }

  /// Moves an element to the position that it has afterwards.
  func move(from: Int, to: Int, _ list: WrittenCollection) throws(StoreError) {
    guard from != to else { return }
    try change(list) { () throws(StorageError) in
      try insert(try take(from..<from + 1, list), at: to, list)
    }
  }

  /// Exchanges two elements.
  func swap(_ left: Int, _ right: Int, _ list: WrittenCollection) throws(StoreError) {
    guard left != right else { return }
    try change(list) { () throws(StorageError) in
      let old = try replace(at: left, with: nil, list)
      let other = try replace(at: right, with: old, list)
      _ = try replace(at: left, with: other, list)
    }
  }

  /// Removes all elements of a list, a set or a map.
  func removeAll(_ collection: WrittenCollection) throws(StoreError) {
    guard try storage({ () throws(StorageError) in try reader(of: collection).count() > 0 }) else {
      return
    }
    try change(collection) { () throws(StorageError) in
      try releaseAll(collection)
      try put(.packed([]), collection)
    }
  }

  // MARK: Stored elements

  private func insert(
    _ new: [[UInt8]?], at position: Int, _ list: WrittenCollection
  ) throws(StorageError) {
    switch try reader(of: list).form {
    case .packed(let bytes):
      var elements = try unpacked(bytes, list)
      for (number, element) in new.enumerated() { elements.insert(element, at: position + number) }
      try put(try form(of: elements, list), list)
    case .table:
      var directory = try directory(of: list)
      guard let (part, offset) = directory.find(position) else {
        throw .corrupted("\(list.property.name) of row \(list.key.row) has no position \(position)")
      }
      let isAtEnd = part == directory.parts.count - 1 && offset == directory.parts[part].count
      var elements = try elements(ofPart: directory.parts[part].order, list)
      let upper = elements.split(at: offset)
      for element in new { elements.append(element) }
      for number in 0..<upper.count { elements.append(upper[number]) }
      let pieces = elements.pieces(areFilled: isAtEnd)
      try replace(part, by: pieces, &directory, list)
      directories[list.identity] = directory
      try put(.table(count: directory.count), list)
    }
  }

  /// Removes elements and returns them, as they were stored.
  private func take(
    _ range: Range<Int>, _ list: WrittenCollection
  ) throws(StorageError) -> [[UInt8]?] {
    var taken: [[UInt8]?] = []
    switch try reader(of: list).form {
    case .packed(let bytes):
      var elements = try unpacked(bytes, list)
      taken = range.map { elements[$0] }
      for position in range.reversed() { elements.remove(at: position) }
      try put(.packed(elements.count == 0 ? [] : elements.packed), list)
    case .table:
      var directory = try directory(of: list)
      while taken.count < range.count, let (part, offset) = directory.find(range.lowerBound) {
        let order = directory.parts[part].order
        var elements = try elements(ofPart: order, list)
        let count = min(range.count - taken.count, elements.count - offset)
        guard count > 0 else { break }
        for _ in 0..<count {
          taken.append(elements[offset])
          elements.remove(at: offset)
        }
        directory.parts[part].count = elements.count
        if elements.count > 0 {
          try putPart(elements, order, list)
        } else {
          try removeEntry(Array(list.identity.part(order).suffix(8)), list)
          directory.parts.remove(at: part)
        }
        try mergeParts(around: part, &directory, list)
      }
      directories[list.identity] = directory
      try put(try packed(directory, list) ?? .table(count: directory.count), list)
    }
    return taken
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
      var directory = try directory(of: list)
      guard let (part, offset) = directory.find(position) else {
        throw .corrupted("\(list.property.name) of row \(list.key.row) has no position \(position)")
      }
      var elements = try elements(ofPart: directory.parts[part].order, list)
      let old = elements[offset]
      elements.replace(at: offset, with: new)
      try replace(part, by: elements.pieces(areFilled: false), &directory, list)
      directories[list.identity] = directory
      try put(try packed(directory, list) ?? .table(count: directory.count), list)
      return old
    }
  }

  private func unpacked(
    _ bytes: [UInt8], _ list: WrittenCollection
  ) throws(StorageError) -> Elements {
    guard !bytes.isEmpty else { return Elements(width: list.coding.width) }
    return unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      try Elements(unsafe ElementsView(packed: bytes, width: list.coding.width))
    }
  }

  // MARK: Parts

  private func directory(of list: WrittenCollection) throws(StorageError) -> ListDirectory {
    if let known = directories[list.identity] { return known }
    return try ListDirectory(of: list.identity, in: transaction)
  }

  private func elements(
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
      Array(list.identity.part(order).suffix(8)),
      elements.part(order: order, property: list.property.id, row: list.key.row), list)
  }

  /// What the owner's record says of a list that holds these elements; many go into the table.
  func form(
    of elements: Elements, _ list: WrittenCollection
  ) throws(StorageError) -> CollectionForm {
    directories[list.identity] = nil
    if elements.arePacked || list.draft != nil {
      return .packed(elements.count == 0 ? [] : elements.packed)
    }
    for (number, piece) in elements.pieces(areFilled: true).enumerated() {
      try putPart(
        piece, CollectionKey.firstOrder + UInt64(number) * CollectionKey.orderStep, list)
    }
    return .table(count: elements.count)
  }

  /// Puts pieces in the place of one part.
  private func replace(
    _ part: Int, by pieces: [Elements], _ directory: inout ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) {
    let order = directory.parts[part].order
    let isLast = part + 1 == directory.parts.count
    let count = UInt64(pieces.count)
    let step =
      isLast ? CollectionKey.orderStep : (directory.parts[part + 1].order - order) / count
    guard step > 0, isLast == false || order <= UInt64.max - count * step else {
      return try renumber(part, by: pieces, &directory, list)
    }
    var parts: [ListDirectory.Part] = []
    for (number, piece) in pieces.enumerated() {
      let place = order + UInt64(number) * step
      try putPart(piece, place, list)
      parts.append(ListDirectory.Part(order: place, count: piece.count))
    }
    directory.parts.replaceSubrange(part...part, with: parts)
  }

  /// Gives all parts new orders, where there is no number left between two.
  private func renumber(
    _ part: Int, by pieces: [Elements], _ directory: inout ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) {
    var all: [Elements] = []
    for (number, old) in directory.parts.enumerated() {
      all += number == part ? pieces : [try elements(ofPart: old.order, list)]
      try removeEntry(Array(list.identity.part(old.order).suffix(8)), list)
    }
    directory.parts = []
    for (number, elements) in all.enumerated() {
      let order = CollectionKey.firstOrder + UInt64(number) * CollectionKey.orderStep
      try putPart(elements, order, list)
      directory.parts.append(ListDirectory.Part(order: order, count: elements.count))
    }
  }

  /// Joins a part with the one behind it where both are small.
  private func mergeParts(
    around part: Int, _ directory: inout ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) {
    let first = max(part - 1, 0)
    guard first + 1 < directory.parts.count else { return }
    let (left, right) = (directory.parts[first], directory.parts[first + 1])
    let width = list.coding.width
    guard (left.count + right.count) * max(width, 1) < Elements.partLimit / 2 else { return }
    var elements = try elements(ofPart: left.order, list)
    let other = try self.elements(ofPart: right.order, list)
    guard elements.size + other.size < Elements.partLimit / 2 else { return }
    for number in 0..<other.count { elements.append(other[number]) }
    try putPart(elements, left.order, list)
    try removeEntry(Array(list.identity.part(right.order).suffix(8)), list)
    directory.parts[first].count = elements.count
    directory.parts.remove(at: first + 1)
  }

  /// Takes a list that became short enough out of the table.
  private func packed(
    _ directory: ListDirectory, _ list: WrittenCollection
  ) throws(StorageError) -> CollectionForm? {
    guard directory.count <= Elements.packedCount else { return nil }
    var all = Elements(width: list.coding.width)
    for part in directory.parts {
      let elements = try elements(ofPart: part.order, list)
      for number in 0..<elements.count { all.append(elements[number]) }
    }
    guard all.arePacked else { return nil }
    for part in directory.parts {
      try removeEntry(Array(list.identity.part(part.order).suffix(8)), list)
    }
    directories[list.identity] = nil
    return .packed(all.count == 0 ? [] : all.packed)
  }
}
