import LeydenStorage

/// Lists, sets and maps: in their owner's record, and in the table (S1).
extension Verifier {
  /// The elements of a collection as they are read.
  private struct CollectionCheck {
    let spot: Spot
    let coding: ElementCoding
    /// As they are stored, as long as they may be few enough to be in the owner's record.
    var elements: Elements
    var entries = MapEntries()
    var count = 0
    /// The key of the element before, in sets and maps, and the values that share it.
    var key: [UInt8]?
    var values: [StoredValue] = []

    init(_ spot: Spot) {
      self.spot = spot
      coding = ElementCoding(spot.property)
      elements = Elements(width: coding.width)
    }

    var isMap: Bool { spot.property.type == .map }

    mutating func take(_ element: [UInt8]?, key: [UInt8] = []) {
      count += 1
      guard spot.isEmbedded || count <= Elements.packedCount + 1 else { return }
      if isMap {
        entries.entries.append(.init(key: key, element: element))
      } else {
        elements.append(element)
      }
    }

    /// The bytes in the owner's record, if they were there.
    var packed: [UInt8] { isMap ? entries.packed : elements.packed }

    /// Whether the owner's record is the place for them.
    var arePacked: Bool {
      count <= Elements.packedCount && packed.count <= Elements.packedLimit
    }
  }

  private func complain(_ text: String, _ check: CollectionCheck, key: [UInt8]? = nil) {
    var place = check.spot.place
    if let key {
      place.table = CollectionKey.table
      place.key = key
    }
    note(.collection, text, place)
  }

  /// Looks at what a slot says of a collection, and at all elements.
  func checkCollection(_ bytes: UnsafeRawBufferPointer, _ spot: Spot) {
    var check = CollectionCheck(spot)
    // Elements without a type have been reported with the catalog.
    guard spot.property.element != nil else { return }
    let slot = unsafe Array(bytes)
    switch CollectionForm(slot) {
    case .table(let count):
      guard !spot.isEmbedded else {
        return complain("a collection of an embedded object is not in it", check)
      }
      checkTable(count, &check)
    case .packed:
      noting(.collection, spot.place) { () throws(StorageError) in
        do throws(StorageError) { unsafe try checkPacked(bytes, &check) } catch {
          knowsRecords = false
          throw error
        }
        if check.count == 0 { complain("the collection is empty and not null", check) }
        guard spot.isEmbedded || check.arePacked else {
          return complain("the collection is too long for its owner's record", check)
        }
        if check.packed != slot {
          complain("the collection is not written in its one form", check)
        }
      }
    }
  }

  private func checkPacked(
    _ bytes: UnsafeRawBufferPointer, _ check: inout CollectionCheck
  ) throws(StorageError) {
    guard check.isMap else {
      let elements = try Elements(unsafe ElementsView(packed: bytes, width: check.coding.width))
      for position in 0..<elements.count {
        let value = try checkElement(elements[position], &check)
        if check.spot.property.type == .set { _ = checkOrder(of: value, &check) }
      }
      return
    }
    for entry in unsafe try MapEntries(packed: bytes, width: check.coding.width).entries {
      _ = try checkElement(entry.element, &check, key: entry.key)
      _ = checkOrder(of: text(entry.key, check), &check)
    }
  }

  // MARK: In the table

  private func checkTable(_ count: Int, _ check: inout CollectionCheck) {
    guard let table = listsTable, table.isSound else {
      knowsRecords = false
      if listsTable == nil, snapshot.knowsAllTables {
        complain("the collection is in a table that there is not", check)
      }
      return
    }
    let owner = check.spot.owner
    let collection = CollectionKey(
      type: owner.check.type.id, row: owner.row, property: check.spot.property.id)
    unsafe table.forEach(prefix: collection.prefix.bytes) { key, value in
      foundParts += 1
      do throws(StorageError) {
        unsafe try checkPart(collection, key, value, &check)
      } catch {
        knowsRecords = false
        let text = if case .corrupted(let text) = error { text } else { "\(error)" }
        complain(text, check, key: unsafe Array(key))
      }
      return true
    }
    if check.count != count {
      complain("the owner has \(count) elements, and there are \(check.count)", check)
    }
    if check.arePacked { complain("the collection is short enough for its owner's record", check) }
  }

  private func checkPart(
    _ collection: CollectionKey, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    _ check: inout CollectionCheck
  ) throws(StorageError) {
    let suffix = unsafe UnsafeRawBufferPointer(rebasing: key[CollectionKey.prefixLength...])
    guard check.spot.property.type != .list else {
      return unsafe try checkPart(collection, suffix, of: value, key, &check)
    }
    guard value.count >= 4,
      unsafe collection.sum(entry: UnsafeRawBufferPointer(rebasing: value[4...]), suffix)
        == UInt32(littleEndian: value.loadUnaligned(as: UInt32.self))
    else { throw .corrupted("an entry does not match its checksum") }
    let bytes = unsafe Array(value[4...])
    var found: StoredValue?
    if check.isMap {
      let entry = unsafe try withBytes(of: bytes, MapEntries.decode)
      if MapEntries.encode(entry) != bytes {
        complain("an entry is not written in its one form", check, key: unsafe Array(key))
      }
      _ = try checkElement(entry.element, &check, key: entry.key)
      found = text(entry.key, check)
    } else {
      found = try checkElement(bytes.isEmpty ? nil : bytes, &check)
    }
    guard let (wanted, isShortened) = checkOrder(of: found, &check) else { return }
    // A key that was cut has a number behind it.
    guard suffix.count == wanted.count + (isShortened ? 1 : 0), unsafe suffix.starts(with: wanted)
    else {
      return complain("an entry is not under the key of its value", check, key: unsafe Array(key))
    }
  }

  /// A part of a list.
  private func checkPart(
    _ list: CollectionKey, _ suffix: UnsafeRawBufferPointer, of value: UnsafeRawBufferPointer,
    _ key: UnsafeRawBufferPointer, _ check: inout CollectionCheck
  ) throws(StorageError) {
    guard suffix.count == 8 else { throw .corrupted("the key has \(key.count) bytes") }
    let order = unsafe suffix.reduce(0) { $0 << 8 | UInt64($1) }
    unsafe try Elements.verify(part: value, order: order, property: list.property, row: list.row)
    let view = unsafe try ElementsView(part: value)
    guard view.width == check.coding.width else {
      throw .corrupted("the part's elements have \(view.width) bytes each")
    }
    let elements = try Elements(view)
    if elements.count == 0 { complain("the part is empty", check, key: unsafe Array(key)) }
    if value.count > Elements.partLimit {
      complain("the part has \(value.count) bytes", check, key: unsafe Array(key))
    }
    for position in 0..<elements.count { _ = try checkElement(elements[position], &check) }
    let wanted = elements.part(order: order, property: list.property, row: list.row)
    if unsafe !value.elementsEqual(wanted) {
      complain("the part is not written in its one form", check, key: unsafe Array(key))
    }
  }

  // MARK: Elements

  /// Looks at an element as it is stored; `nil` is null.
  ///
  /// - Returns: `nil` where it cannot be read.
  private func checkElement(
    _ element: [UInt8]?, _ check: inout CollectionCheck, key: [UInt8] = []
  ) throws(StorageError) -> StoredValue? {
    check.take(element, key: key)
    let spot = check.spot
    guard let element else {
      if !check.coding.isOptional { note(.value, "an element is null", spot.place) }
      return .null
    }
    let width = check.coding.width
    let type = check.coding.type
    return unsafe try withBytes(of: element) { (bytes) throws(StorageError) in
      var end = 0
      let content = unsafe try ElementsView.element(in: bytes, at: &end, width: width)
      guard end == bytes.count else {
        throw .corrupted("an element of \(end) bytes takes \(bytes.count)")
      }
      switch content {
      case .null: return .null
      case .bytes(let content):
        if width == 0 {
          if !spot.isEmbedded, content.count > Elements.largestInline {
            complain("an element of \(content.count) bytes is not kept in chunks", check)
          }
          if unsafe Elements.encode(bytes: content) != element {
            complain("an element is not written in its one form", check)
          }
        }
        return unsafe checkContent(content, type, spot)
      case .large(let reference): return checkLarge(reference, element, type, spot)
      }
    }
  }

  private func checkLarge(
    _ reference: LargeReference, _ element: [UInt8], _ type: PropertyType, _ spot: Spot
  ) -> StoredValue? {
    if spot.isEmbedded || reference.total <= UInt64(Elements.largestInline) {
      note(.collection, "an element of \(reference.total) bytes is kept in chunks", spot.place)
    }
    guard let bytes = readLarge(reference, spot.place) else {
      if type == .embedded || type == .anyValue { knowsRecords = false }
      return nil
    }
    return unsafe bytes.withUnsafeBytes { bytes in
      if unsafe Elements.encode(reference, prefix: bytes) != element {
        note(.value, "the beginning that is kept is not that of the value", spot.place)
      }
      return unsafe checkContent(bytes, type, spot)
    }
  }

  private func checkContent(
    _ bytes: UnsafeRawBufferPointer, _ type: PropertyType, _ spot: Spot
  ) -> StoredValue? {
    guard !type.isStoredAsBytes else { return unsafe checkBytes(bytes, type, spot) }
    guard bytes.count == 8 else {
      note(.value, "\(bytes.count) bytes are no \(type)", spot.place)
      return nil
    }
    return unsafe checkNumber(
      UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)), type, spot)
  }

  private func text(_ key: [UInt8], _ check: CollectionCheck) -> StoredValue {
    if String(validating: key, as: UTF8.self) == nil {
      note(.value, "a key is not UTF-8", check.spot.place)
    }
    return .string(String(decoding: key, as: UTF8.self))
  }

  /// Looks at whether a set's element, or a map's key, stands behind the one before.
  ///
  /// - Returns: Its key, and whether that was cut; `nil` where it is not known.
  private func checkOrder(
    of value: StoredValue?, _ check: inout CollectionCheck
  ) -> (bytes: [UInt8], isShortened: Bool)? {
    guard let value, let rule = longKey else { return nil }
    var found: (bytes: [UInt8], isShortened: Bool)
    if check.isMap, case .string(let text) = value {
      found = ElementCoding.key(of: text, rule)
    } else {
      found = check.coding.key(of: value, rule)
    }
    if let last = check.key, last == found.bytes {
      if !found.isShortened || check.values.contains(where: { $0.equals(value) }) {
        complain("the collection has \(value) twice", check)
      }
      check.values.append(value)
      return found
    }
    if let last = check.key, found.bytes.lexicographicallyPrecedes(last) {
      complain("the collection is not in the order of its keys", check)
    }
    check.key = found.bytes
    check.values = [value]
    return found
  }

  // MARK: Parts without an owner

  /// Parts of collections that no object has, where there are more than collections account for.
  func checkUnownedParts() {
    guard let table = listsTable, table.isSound, knowsCatalog, table.count != foundParts else {
      return
    }
    var last: [UInt8] = []
    unsafe table.forEach(limit: 0) { key, _ in
      let place = unsafe VerificationFinding.Place(table: CollectionKey.table, key: Array(key))
      guard key.count > CollectionKey.prefixLength else {
        return note(.unownedEntry, "the key has \(key.count) bytes", place)
      }
      let prefix = unsafe Array(key.prefix(CollectionKey.prefixLength))
      guard prefix != last else { return }
      last = prefix
      if !isOwned(prefix) {
        note(.unownedEntry, "no object has a collection in the table to which this belongs", place)
      }
    }
  }

  /// Whether an object has a collection in the table whose keys begin so, or its record cannot be read.
  private func isOwned(_ prefix: [UInt8]) -> Bool {
    func number(_ range: Range<Int>) -> UInt64 { prefix[range].reduce(0) { $0 << 8 | UInt64($1) } }
    guard let type = typesByNumber[UInt32(truncatingIfNeeded: number(0..<4))], !type.isEmbedded,
      let property = type.properties.first(where: { UInt64($0.id) == number(12..<16) }),
      property.type.isCollection
    else { return false }
    guard let table = soundTable(type.tableName) else { return true }
    guard let record = table.value(forRow: number(4..<12)) else { return false }
    return unsafe record.withUnsafeBytes { bytes in
      guard let view = unsafe try? type.view(of: bytes) else { return true }
      guard let slot = try? type.slot(of: property.id, in: view) else { return false }
      guard !view.isNull(slot), view.largeReference(slot) == nil,
        case .table = CollectionForm(unsafe Array(view.bytes(slot)))
      else { return false }
      return true
    }
  }
}
