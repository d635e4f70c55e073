/// The entries of a packed map: a text and an element each, `nil` for null, in the order of their keys.
package struct MapEntries {
  /// One entry.
  package struct Entry {
    /// The key's UTF-8, as it was given.
    package let key: [UInt8]
    /// The value's element.
    package let element: [UInt8]?

    /// An entry.
    package init(key: [UInt8], element: [UInt8]?) {
      self.key = key
      self.element = element
    }
  }

  /// The entries, in order.
  package var entries: [Entry] = []

  /// No entries.
  package init() {}

  /// Reads the bytes of a packed map whose values have a width.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where the bytes cannot be one.
  package init(packed bytes: UnsafeRawBufferPointer, width: Int) throws(StorageError) {
    let view = unsafe try ElementsView(packed: bytes, width: 0)
    var offset = view.start
    for position in 0..<view.count {
      let key = unsafe try Self.key(in: bytes, at: &offset)
      var element: [UInt8]?
      if !view.isNull(position) {
        let from = offset
        _ = unsafe try ElementsView.element(in: bytes, at: &offset, width: width)
        element = unsafe Array(bytes[from..<offset])
      }
      entries.append(Entry(key: key, element: element))
    }
  }

  /// The bytes of a packed map.
  package var packed: [UInt8] {
    let hasNulls = entries.contains { $0.element == nil }
    var bytes: [UInt8] = [ElementsView.packedForm, hasNulls ? ElementsView.nullsFlag : 0]
    Varint.append(UInt64(entries.count), to: &bytes)
    if hasNulls {
      let start = bytes.count
      bytes += [UInt8](repeating: 0, count: (entries.count + 7) / 8)
      for (position, entry) in entries.enumerated() where entry.element == nil {
        bytes[start + position >> 3] |= 1 << UInt8(position & 7)
      }
    }
    for entry in entries {
      Varint.append(UInt64(entry.key.count), to: &bytes)
      bytes += entry.key
      bytes += entry.element ?? []
    }
    return bytes
  }

  /// The bytes of an entry in the table, without their checksum.
  package static func encode(_ entry: Entry) -> [UInt8] {
    var bytes: [UInt8] = [entry.element == nil ? 1 : 0]
    Varint.append(UInt64(entry.key.count), to: &bytes)
    return bytes + entry.key + (entry.element ?? [])
  }

  /// Reads the bytes of an entry in the table, behind their checksum.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer
  ) throws(StorageError) -> Entry {
    guard let flags = unsafe bytes.first else { throw .corrupted("an entry of a map is empty") }
    var offset = 1
    let key = unsafe try key(in: bytes, at: &offset)
    return unsafe Entry(key: key, element: flags & 1 != 0 ? nil : Array(bytes[offset...]))
  }

  private static func key(
    in bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(StorageError) -> [UInt8] {
    guard let length = unsafe Varint.read(bytes, at: &offset),
      length <= UInt64(bytes.count - offset)
    else { throw .corrupted("a map's keys end early") }
    defer { offset += Int(length) }
    return unsafe Array(bytes[offset..<offset + Int(length)])
  }
}
