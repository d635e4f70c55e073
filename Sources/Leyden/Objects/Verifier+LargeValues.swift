import LeydenStorage

extension Verifier {
  /// Reads a long value from all its parts; `nil` where one is missing or damaged.
  func readLarge(
    _ reference: LargeReference, _ place: VerificationFinding.Place
  ) -> [UInt8]? {
    var place = place
    place.table = LargeValues.table
    checkNumber(reference.identifier, place)
    if !largeValues.insert(reference.identifier) {
      note(.largeValue, "two places refer to long value \(reference.identifier)", place)
    }
    guard let table = largeTable else { return nil }
    var value: [UInt8] = []
    var chunk: UInt32 = 0
    while UInt64(value.count) < reference.total {
      let key = LargeValues.key(reference.identifier, chunk)
      place.key = key
      guard let bytes = table.value(for: key) else {
        if table.isSound { note(.largeValue, "a part of the value is missing", place) }
        return nil
      }
      let isLast = reference.total - UInt64(value.count) <= UInt64(LargeValues.chunkSize)
      let wanted = isLast ? Int(reference.total) - value.count : LargeValues.chunkSize
      guard bytes.count == wanted + 4,
        LargeValues.isWhole(bytes, identifier: reference.identifier, chunk: chunk)
      else {
        note(.largeValue, "a part of the value is damaged", place)
        return nil
      }
      value += bytes[4...]
      chunk += 1
    }
    place.key = LargeValues.key(reference.identifier, chunk)
    if table.value(for: LargeValues.key(reference.identifier, chunk)) != nil {
      note(.unownedChunk, "the value has a part behind its end", place)
    }
    guard unsafe value.withUnsafeBytes({ unsafe checksum(of: $0) }) == reference.checksum else {
      note(.largeValue, "the value does not match its checksum", place)
      return nil
    }
    return value
  }

  /// Whether every record could be read: else nobody knows what the others refer to.
  var knowsAllRecords: Bool {
    knowsCatalog && knowsRecords
      && types.allSatisfy { $0.isEmbedded || soundTable($0.tableName) != nil }
  }

  /// Parts that no record refers to; of records that cannot be read nobody knows.
  func checkUnownedChunks() {
    guard let table = largeTable, knowsAllRecords else { return }
    var last: (identifier: UInt64, chunk: UInt32)?
    unsafe table.forEach(limit: 0) { key, _ in
      let place = unsafe VerificationFinding.Place(table: LargeValues.table, key: Array(key))
      guard key.count == 12 else {
        return note(.unownedChunk, "the key has \(key.count) bytes", place)
      }
      let identifier = unsafe key[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
      let chunk = unsafe key[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
      let follows = last.map { $0.identifier == identifier && $0.chunk &+ 1 == chunk } ?? false
      if !largeValues.contains(identifier) || !follows && chunk != 0 {
        note(.unownedChunk, "no record refers to long value \(identifier)", place)
      }
      last = (identifier, chunk)
    }
  }
}
