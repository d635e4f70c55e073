import Foundation
import LeydenStorage

extension Verifier {
  /// One type while its records are checked.
  final class TypeCheck {
    let type: Catalog.StoredType
    let indexes: [IndexCheck]
    /// For each layout, the property in each slot; `nil` for a slot that is no longer used.
    var slots: [UInt16: [Catalog.StoredProperty?]] = [:]

    init(_ type: Catalog.StoredType, _ indexes: [IndexCheck]) {
      self.type = type
      self.indexes = indexes
      slots = type.layouts.mapValues { $0.map { type.property($0) } }
    }

    func place(_ row: UInt64, _ property: String? = nil) -> VerificationFinding.Place {
      .init(table: type.tableName, typeName: type.name, propertyName: property, row: row)
    }
  }

  /// Looks at each record of a type, and then at the type's indexes.
  func checkRecords(of type: Catalog.StoredType) {
    guard let table = snapshot.table(type.tableName) else { return }
    let check = TypeCheck(type, indexChecks(of: type))
    unsafe table.forEach { key, value in
      guard key.count == 8, let row = unsafe row(atEndOf: key) else {
        return unsafe note(
          .rowNumber, "the key has \(key.count) bytes",
          .init(table: type.tableName, typeName: type.name, key: Array(key)))
      }
      report.objects += 1
      checkNumber(row, check.place(row))
      unsafe checkRecord(value, row, check)
    }
    for index in check.indexes { checkEntries(of: index, records: table) }
  }

  /// Looks at a number that is a row's or a long value's, and of one of them only.
  private func checkNumber(_ number: UInt64, _ place: @autoclosure () -> VerificationFinding.Place)
  {
    if number == 0 || number >= meta.rows ?? .max {
      note(.rowNumber, "number \(number) is not below \(meta.rows ?? 0)", place())
    }
    if !numbers.insert(number) {
      note(.rowNumber, "number \(number) stands for two rows or long values", place())
    }
  }

  private func checkRecord(_ bytes: UnsafeRawBufferPointer, _ row: UInt64, _ check: TypeCheck) {
    let view: RecordView
    let layout: UInt16
    do throws(StorageError) {
      unsafe try RecordView.verify(bytes, type: check.type.id, row: row)
      layout = unsafe try RecordView.layout(of: bytes)
      guard let slots = check.slots[layout] else {
        throw .corrupted("the record has layout \(layout), which there is not")
      }
      view = unsafe try RecordView(bytes, slots: slots.count)
    } catch {
      knowsRecords = false
      let text = if case .corrupted(let text) = error { text } else { "\(error)" }
      return note(.record, text, check.place(row))
    }
    if view.version == 0 || view.version > report.version.number {
      note(
        .recordVersion,
        "the record has version \(view.version) in a store of version "
          + report.version.description, check.place(row))
    }
    checkMention(of: row, view.version, check.place(row), type: check.type.id)
    var values: [UInt32: StoredValue] = [:]
    checkShape(of: view, check.slots[layout] ?? [], check, row)
    for (slot, property) in (check.slots[layout] ?? []).enumerated() {
      guard let property else { continue }
      values[property.id] = checkValue(view, slot, property, check, row)
    }
    for property in check.type.properties where type(check.type, lacks: property, in: layout) {
      values[property.id] = property.defaultValue
    }
    for index in check.indexes { checkEntry(of: row, values, in: index) }
  }

  private func type(
    _ type: Catalog.StoredType, lacks property: Catalog.StoredProperty, in layout: UInt16
  ) -> Bool { type.slot(of: property.id, in: layout) == nil }

  /// Looks at what the checksum does not say: bits beyond the slots, and parts of the heap.
  private func checkShape(
    of view: RecordView, _ slots: [Catalog.StoredProperty?], _ check: TypeCheck, _ row: UInt64
  ) {
    for bit in slots.count..<(view.slotsStart - RecordFormat.headerSize) * 8
    where view.isNull(bit) {
      note(.record, "bit \(bit) of the nulls has no slot", check.place(row))
    }
    let heap = view.slotsStart + slots.count * 8
    var extents: [Range<Int>] = []
    var hasLarge = false
    for (slot, property) in slots.enumerated() {
      guard let property, property.type.isStoredAsBytes, !view.isNull(slot) else { continue }
      let word = view.word(slot)
      guard word >> 63 == 0 || word >> 32 == UInt64(RecordFormat.largeMark) else { continue }
      let isLarge = word >> 32 == UInt64(RecordFormat.largeMark)
      hasLarge = hasLarge || isLarge
      let start = Int(word & 0xffff_ffff)
      extents.append(start..<start + (isLarge ? LargeReference.size : Int(word >> 32)))
    }
    if hasLarge != view.hasLargeValues {
      note(.record, "the flag for long values is not as the values are", check.place(row))
    }
    extents.sort { $0.lowerBound < $1.lowerBound }
    let count = unsafe view.bytes.count
    var end = heap
    for extent in extents {
      if extent.lowerBound < end || extent.upperBound > count {
        note(.record, "a value lies outside of the record or in another one", check.place(row))
      }
      end = max(end, extent.upperBound)
    }
  }

  // MARK: Values

  /// Reads and checks one value; `nil` where it cannot be read.
  private func checkValue(
    _ view: RecordView, _ slot: Int, _ property: Catalog.StoredProperty, _ check: TypeCheck,
    _ row: UInt64
  ) -> StoredValue? {
    func complain(_ text: String) { note(.value, text, check.place(row, property.name)) }
    let word = view.word(slot)
    if view.isNull(slot) {
      if word != 0 { complain("the value is null and not 0") }
      if !property.isOptional, !property.type.isCollection {
        complain("the value is null, and the property is not optional")
      }
      return .null
    }
    guard property.type.isStoredAsBytes else {
      let value = StoredValue(property.type, word: word)
      if !isStored(value, of: property.type, as: word) {
        complain("\(word) is no \(property.type)")
      }
      return value
    }
    let top = word >> 56
    guard top <= 0x87 || top == 0xff else {
      knowsRecords = false
      complain("the slot has no form that is known")
      return nil
    }
    if let reference = view.largeReference(slot) {
      guard let bytes = readLarge(reference, check.place(row, property.name)) else { return nil }
      if unsafe !bytes.starts(with: view.largePrefix(slot)) {
        complain("the beginning that is kept is not that of the value")
      }
      return unsafe bytes.withUnsafeBytes { unsafe value($0, property, complain) }
    }
    let bytes = unsafe view.bytes(slot)
    if top < 0x80, bytes.count <= RecordFormat.inlineCapacity {
      complain("a value of \(bytes.count) bytes is not in its slot")
    }
    return unsafe value(bytes, property, complain)
  }

  private func value(
    _ bytes: UnsafeRawBufferPointer, _ property: Catalog.StoredProperty,
    _ complain: (String) -> Void
  ) -> StoredValue? {
    if property.type == .string, unsafe String(validating: bytes, as: UTF8.self) == nil {
      complain("the text is not UTF-8")
    }
    let value = unsafe StoredValue(property.type, bytes: bytes)
    if value == .null { complain("\(bytes.count) bytes are no \(property.type)") }
    if case .decimal(let decimal) = value,
      unsafe !bytes.elementsEqual(StoredDecimal(decimal).bytes)
    {
      complain("the number is not written in its one form")
    }
    return value
  }

  /// Whether the value is stored as these bits, and in the range of its type.
  private func isStored(_ value: StoredValue, of type: PropertyType, as word: UInt64) -> Bool {
    let number = Int64(bitPattern: word)
    return switch type {
    case .bool: word <= 1
    case .int8: Int8(exactly: number) != nil
    case .int16: Int16(exactly: number) != nil
    case .int32: Int32(exactly: number) != nil
    case .uint8: UInt8(exactly: number) != nil
    case .uint16: UInt16(exactly: number) != nil
    case .uint32: UInt32(exactly: number) != nil
    case .float: if case .float(let value) = value { value.storedBits == word } else { false }
    default: true
    }
  }

  // MARK: Long values

  /// Reads a long value from all its parts; `nil` where one is missing or damaged.
  private func readLarge(
    _ reference: LargeReference, _ place: VerificationFinding.Place
  ) -> [UInt8]? {
    var place = place
    place.table = LargeValues.table
    checkNumber(reference.identifier, place)
    if !largeValues.insert(reference.identifier) {
      note(.largeValue, "two records refer to long value \(reference.identifier)", place)
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

  /// Parts that no record refers to; of records that cannot be read nobody knows.
  func checkUnownedChunks() {
    let isKnown = knowsCatalog && types.allSatisfy { soundTable($0.tableName) != nil }
    guard let table = largeTable, isKnown, knowsRecords else { return }
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
