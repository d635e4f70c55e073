// SAFETY: borrowed from a transaction or an array for one call; every access is within the bytes, which
// were looked at in `init`, or is checked where it is made.
/// The elements of a collection that stand one behind the other: all of a packed one, or a part of a list.
///
/// Null elements have no bytes. Those of a fixed width have so many; others `varint` length × 2 and their
/// bytes, or `varint` 1 and a ``LargeReference``.
@safe
package struct ElementsView {
  // SAFETY: as of the view.
  /// One element.
  @safe
  package enum Element {
    /// No value.
    case null
    /// The value's bytes.
    case bytes(UnsafeRawBufferPointer)
    /// A value in chunks.
    case large(LargeReference)
  }

  /// Bytes in front of a part's elements: checksum, count, flags, width.
  static let partHeader = 8
  static let nullsFlag: UInt8 = 1
  /// The first byte of a packed collection.
  static let packedForm: UInt8 = 1

  /// The number of elements.
  package let count: Int
  /// Bytes of each element; 0 where they differ.
  package let width: Int
  let bytes: UnsafeRawBufferPointer
  /// Where the null bitmap is, if there is one.
  private let nulls: Int?
  /// Whether there is a null bitmap.
  var hasNulls: Bool { nulls != nil }
  /// Where the first element is.
  let start: Int

  /// Looks at a part of a list.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where the bytes cannot be one.
  package init(part bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard bytes.count >= Self.partHeader else {
      throw .corrupted("\(bytes.count) bytes are too few for a part of a list")
    }
    let count = unsafe UInt16(
      littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
    unsafe try self.init(
      bytes, count: Int(count), hasNulls: bytes[6] & Self.nullsFlag != 0, width: Int(bytes[7]),
      from: Self.partHeader)
  }

  /// Looks at a packed collection; in a map each element has its key in front, and is of no fixed width
  /// here.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where the bytes cannot be one.
  package init(packed bytes: UnsafeRawBufferPointer, width: Int) throws(StorageError) {
    var offset = 2
    guard bytes.count > 2, unsafe bytes[0] == Self.packedForm,
      let count = unsafe Varint.read(bytes, at: &offset), count <= UInt64(bytes.count) * 8
    else { throw .corrupted("\(bytes.count) bytes are no packed collection") }
    unsafe try self.init(
      bytes, count: Int(count), hasNulls: bytes[1] & Self.nullsFlag != 0, width: width, from: offset
    )
  }

  /// Looks at the one element that begins at an offset.
  package static func element(
    in bytes: UnsafeRawBufferPointer, at offset: inout Int, width: Int
  ) throws(StorageError) -> Element {
    let view = unsafe try ElementsView(bytes, count: 0, hasNulls: false, width: width, from: offset)
    return try view.next(&offset)
  }

  private init(
    _ bytes: UnsafeRawBufferPointer, count: Int, hasNulls: Bool, width: Int, from start: Int
  ) throws(StorageError) {
    unsafe self.bytes = unsafe bytes
    self.count = count
    self.width = width
    nulls = hasNulls ? start : nil
    self.start = start + (hasNulls ? (count + 7) / 8 : 0)
    guard self.start + (hasNulls ? 0 : count * width) <= bytes.count else {
      throw .corrupted("a collection of \(bytes.count) bytes has no room for \(count) elements")
    }
  }

  /// Whether an element is null.
  package func isNull(_ position: Int) -> Bool {
    guard let nulls else { return false }
    return unsafe bytes[nulls + position >> 3] >> UInt8(position & 7) & 1 != 0
  }

  /// The element at a position.
  ///
  /// - Complexity: O(1) for those of a fixed width where none is null, else O(position).
  package func element(_ position: Int) throws(StorageError) -> Element {
    guard position < count else { throw endsEarly }
    guard nulls == nil, width > 0 else {
      var offset = start
      for before in 0..<position where !isNull(before) { _ = try next(&offset) }
      return isNull(position) ? .null : try next(&offset)
    }
    let from = start + position * width
    return unsafe .bytes(UnsafeRawBufferPointer(rebasing: bytes[from..<from + width]))
  }

  /// Calls `body` with each element, its position, and where its bytes are, until it returns false.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where the bytes end early; what `body` throws.
  package func forEach(
    _ body: (Element, Int, Range<Int>) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var offset = start
    for position in 0..<count {
      let from = offset
      let element = isNull(position) ? .null : try next(&offset)
      guard try body(element, position, from..<offset) else { return }
    }
  }

  /// The element at an offset; moves that behind it.
  func next(_ offset: inout Int) throws(StorageError) -> Element {
    var count = UInt64(width)
    if width == 0 {
      guard let length = unsafe Varint.read(bytes, at: &offset) else { throw endsEarly }
      guard length & 1 == 0 else {
        guard length == 1, unsafe bytes.count - offset >= LargeReference.size else {
          throw endsEarly
        }
        defer { offset += LargeReference.size }
        return unsafe .large(LargeReference(bytes, at: offset))
      }
      count = length >> 1
    }
    guard unsafe count <= UInt64(bytes.count - offset) else { throw endsEarly }
    defer { offset += Int(count) }
    return unsafe .bytes(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)]))
  }

  var endsEarly: StorageError { .corrupted("a collection's elements end early") }
}

extension LargeReference {
  /// Reads a reference; its bytes are there.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    unsafe self.init(
      identifier: UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      total: UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)),
      checksum: UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt32.self)))
  }

  /// The bytes that stand for a value in chunks: the reference, and the value's beginning for comparisons.
  package func bytes(prefix: UnsafeRawBufferPointer) -> [UInt8] {
    var encoded = [UInt8](repeating: 0, count: Self.size)
    unsafe encoded.withUnsafeMutableBytes { target in
      unsafe target.storeBytes(of: identifier.littleEndian, as: UInt64.self)
      unsafe target.storeBytes(of: total.littleEndian, toByteOffset: 8, as: UInt64.self)
      unsafe target.storeBytes(of: checksum.littleEndian, toByteOffset: 16, as: UInt32.self)
      for unsafe(position, byte) in unsafe prefix.prefix(16).enumerated() {
        unsafe target[20 + position] = byte
      }
    }
    return encoded
  }
}
