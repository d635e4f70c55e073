/// Elements of a collection in memory, to be changed and stored again.
///
/// An element is what ``ElementsView`` reads: `nil` for null, the bytes of one of a fixed width, else a
/// length and bytes. ``encode(bytes:)`` makes those.
package struct Elements {
  /// A part of a list, or the elements of a packed collection, is no longer than this.
  package static let partLimit = 1_900
  /// How many elements, and how many bytes, stay in the owner's record.
  package static let packedCount = 16
  /// See ``packedCount``.
  package static let packedLimit = 256
  /// Values that are longer go to chunks.
  package static let largestInline = 256

  /// Bytes of each element; 0 where they differ.
  package let width: Int
  /// The number of elements.
  package private(set) var count = 0
  private var data: [UInt8] = []
  /// Whether each element has ``width`` bytes: then what follows is empty, as it can be told.
  private var isUniform: Bool
  /// Where each element begins in ``data``, and where the last one ends.
  private var starts: [Int] = []
  private var isNull: [Bool] = []
  private var nullCount = 0

  /// No elements.
  package init(width: Int) {
    self.width = width
    isUniform = width > 0
    if !isUniform { starts = [0] }
  }

  /// Copies elements.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where they end early.
  package init(_ view: ElementsView) throws(StorageError) {
    self.init(width: view.width)
    count = view.count
    if isUniform, !view.hasNulls {
      data = unsafe Array(view.bytes[view.start..<view.start + count * width])
      return
    }
    isUniform = false
    starts = [0]
    starts.reserveCapacity(count + 1)
    isNull.reserveCapacity(count)
    var end = view.start
    for position in 0..<count {
      let null = view.isNull(position)
      if !null { _ = try view.next(&end) }
      starts.append(end - view.start)
      isNull.append(null)
      if null { nullCount += 1 }
    }
    data = unsafe Array(view.bytes[view.start..<end])
  }

  /// An element as it is stored.
  package subscript(position: Int) -> [UInt8]? {
    if !isUniform, isNull[position] { return nil }
    return Array(data[start(position)..<start(position + 1)])
  }

  private func start(_ position: Int) -> Int { isUniform ? position * width : starts[position] }

  /// The bytes that the elements take, their null bitmap included.
  package var size: Int { data.count + (nullCount > 0 ? (count + 7) / 8 : 0) }

  /// Puts an element before the one at a position, or behind all.
  package mutating func insert(_ element: [UInt8]?, at position: Int) {
    if element == nil { noteStarts() }
    let bytes = element ?? []
    let start = start(position)
    data.insert(contentsOf: bytes, at: start)
    count += 1
    guard !isUniform else { return }
    starts.insert(start, at: position)
    isNull.insert(element == nil, at: position)
    if element == nil { nullCount += 1 }
    for later in position + 1..<starts.count { starts[later] += bytes.count }
  }

  /// Puts elements before the one at a position, or behind all.
  package mutating func insert(contentsOf elements: [[UInt8]?], at position: Int) {
    if elements.count == 1 { return insert(elements[0], at: position) }
    let upper = split(at: position)
    for element in elements { append(element) }
    append(upper)
  }

  /// Puts an element behind all.
  package mutating func append(_ element: [UInt8]?) {
    if element == nil { noteStarts() }
    data += element ?? []
    count += 1
    guard !isUniform else { return }
    starts.append(data.count)
    isNull.append(element == nil)
    if element == nil { nullCount += 1 }
  }

  /// Puts the elements of another collection of the same width behind all.
  package mutating func append(_ other: Elements) {
    if isUniform, other.isUniform {
      data += other.data
      count += other.count
    } else {
      for position in 0..<other.count { append(other[position]) }
    }
  }

  /// Removes the element at a position.
  package mutating func remove(at position: Int) { removeSubrange(position..<position + 1) }

  /// Removes elements and returns them, as they are stored.
  @discardableResult
  package mutating func removeSubrange(_ range: Range<Int>) -> [[UInt8]?] {
    let removed = range.map { self[$0] }
    let bytes = start(range.lowerBound)..<start(range.upperBound)
    data.removeSubrange(bytes)
    count -= range.count
    guard !isUniform else { return removed }
    starts.removeSubrange(range)
    isNull.removeSubrange(range)
    for later in range.lowerBound..<starts.count { starts[later] -= bytes.count }
    nullCount -= removed.count { $0 == nil }
    return removed
  }

  /// Puts an element in place of another one.
  package mutating func replace(at position: Int, with element: [UInt8]?) {
    remove(at: position)
    insert(element, at: position)
  }

  /// Takes the elements from a position on away and returns them.
  package mutating func split(at position: Int) -> Elements {
    var upper = Elements(width: width)
    if isUniform {
      upper.data = Array(data[start(position)...])
      upper.count = count - position
    } else {
      for later in position..<count { upper.append(self[later]) }
      starts.removeSubrange((position + 1)...)
      isNull.removeSubrange(position...)
      nullCount = isNull.count { $0 }
    }
    data.removeSubrange((data.count - upper.data.count)...)
    count = position
    return upper
  }

  /// Begins to keep what cannot be told where an element is null.
  private mutating func noteStarts() {
    guard isUniform else { return }
    isUniform = false
    starts = (0...count).map { $0 * width }
    isNull = [Bool](repeating: false, count: count)
  }

  /// Whether the elements stay in their owner's record.
  package var arePacked: Bool {
    count <= Self.packedCount && packed.count <= Self.packedLimit
  }

  /// The bytes of a packed collection.
  package var packed: [UInt8] {
    var bytes: [UInt8] = [ElementsView.packedForm, nullCount > 0 ? ElementsView.nullsFlag : 0]
    Varint.append(UInt64(count), to: &bytes)
    appendBitmap(to: &bytes)
    return bytes + data
  }

  /// The bytes of a part of a list.
  ///
  /// - Parameters:
  ///   - order: The part's place among the list's.
  ///   - property: The list's property.
  ///   - row: The owner's row.
  /// - Returns: What stands under the part's key.
  package func part(order: UInt64, property: UInt32, row: UInt64) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0, UInt8(count & 0xff), UInt8(count >> 8)]
    bytes.reserveCapacity(ElementsView.partHeader + size)
    bytes.append(nullCount > 0 ? ElementsView.nullsFlag : 0)
    bytes.append(UInt8(width))
    appendBitmap(to: &bytes)
    bytes += data
    let sum = unsafe bytes.withUnsafeBytes {
      unsafe Self.sum(ofPart: $0, order: order, property: property, row: row)
    }
    unsafe bytes.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: sum.littleEndian, as: UInt32.self)
    }
    return bytes
  }

  private func appendBitmap(to bytes: inout [UInt8]) {
    guard nullCount > 0 else { return }
    let start = bytes.count
    bytes += [UInt8](repeating: 0, count: (count + 7) / 8)
    for position in isNull.indices where isNull[position] {
      bytes[start + position >> 3] |= 1 << UInt8(position & 7)
    }
  }

  /// The checksum that belongs into a part.
  package static func sum(
    ofPart bytes: UnsafeRawBufferPointer, order: UInt64, property: UInt32, row: UInt64
  ) -> UInt32 {
    let start = unsafe withUnsafeBytes(of: order.bigEndian) {
      unsafe checksum(of: $0, type: property, row: row)
    }
    return unsafe checksum(of: UnsafeRawBufferPointer(rebasing: bytes[4...]), after: start)
  }

  /// An element of no fixed width, with its length in front.
  package static func encode(bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var element: [UInt8] = []
    element.reserveCapacity(bytes.count + 2)
    Varint.append(UInt64(bytes.count) << 1, to: &element)
    unsafe element.append(contentsOf: bytes)
    return element
  }

  /// An element whose value is in chunks.
  package static func encode(
    _ reference: LargeReference, prefix: UnsafeRawBufferPointer
  ) -> [UInt8] {
    unsafe [1] + reference.bytes(prefix: prefix)
  }
}

extension Elements {
  /// The elements as parts of lists: all of them full but the last, or all of about the same length.
  package func pieces(areFilled: Bool) -> [Elements] {
    // What a part has beside its elements' bytes.
    let overhead = ElementsView.partHeader + (count + 7) / 8
    guard size + overhead > Self.partLimit else { return [self] }
    let room = Self.partLimit - ElementsView.partHeader
    let pieceCount = (size + room - 1) / room + 1
    let wanted = areFilled ? room : size / pieceCount + 1
    var pieces: [Elements] = []
    var piece = Elements(width: width)
    for position in 0..<count {
      let element = self[position]
      let grown = piece.size + (element?.count ?? 0) + piece.count / 8 + 2
      if piece.count > 0, grown > room || piece.size >= wanted {
        pieces.append(piece)
        piece = Elements(width: width)
      }
      piece.append(element)
    }
    return pieces + [piece]
  }

  /// Compares a part's checksum with its bytes.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where they differ.
  package static func verify(
    part bytes: UnsafeRawBufferPointer, order: UInt64, property: UInt32, row: UInt64
  ) throws(StorageError) {
    guard bytes.count >= ElementsView.partHeader,
      unsafe sum(ofPart: bytes, order: order, property: property, row: row)
        == UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    else { throw .corrupted("a part of a list of row \(row) does not match its checksum") }
  }
}
