import LeydenStorage

extension Verifier {
  /// One type while its records are checked.
  final class TypeCheck {
    let type: Catalog.StoredType
    let indexes: [IndexCheck]
    /// For each layout, the property in each slot; `nil` for a slot that is no longer used.
    let slots: [UInt16: [Catalog.StoredProperty?]]

    init(_ type: Catalog.StoredType, _ indexes: [IndexCheck]) {
      self.type = type
      self.indexes = indexes
      slots = type.layouts.mapValues { $0.map { type.property($0) } }
    }

    func place(_ row: UInt64, _ property: String? = nil) -> VerificationFinding.Place {
      .init(table: type.tableName, typeName: type.name, propertyName: property, row: row)
    }
  }

  /// An object while its record is checked, with the embedded ones and the collections that it owns.
  final class Owner {
    let check: TypeCheck
    let row: UInt64
    /// What its properties lead to: how often, and the property's name.
    var links: [InverseEntry: (count: UInt32, path: String)] = [:]

    init(_ check: TypeCheck, _ row: UInt64) {
      self.check = check
      self.row = row
    }
  }

  /// Looks at each record of a type, and then at the type's indexes.
  func checkRecords(of type: Catalog.StoredType) {
    guard !type.isEmbedded, let table = snapshot.table(type.tableName) else { return }
    let check = TypeCheck(type, indexChecks(of: type))
    unsafe table.forEach { key, value in
      guard key.count == 8, let row = unsafe row(atEndOf: key) else {
        return unsafe note(
          .rowNumber, "the key has \(key.count) bytes",
          .init(table: type.tableName, typeName: type.name, key: Array(key)))
      }
      report.objects += 1
      checkNumber(row, check.place(row))
      unsafe checkRecord(value, Owner(check, row))
    }
    for index in check.indexes { checkEntries(of: index, records: table) }
  }

  /// Looks at a number that is a row's, an embedded object's or a long value's, and of one of them only.
  func checkNumber(_ number: UInt64, _ place: @autoclosure () -> VerificationFinding.Place) {
    if number == 0 || number >= meta.rows ?? .max {
      note(.rowNumber, "number \(number) is not below \(meta.rows ?? 0)", place())
    }
    if !numbers.insert(number) {
      note(.rowNumber, "number \(number) stands for two objects or long values", place())
    }
  }

  private func checkRecord(_ bytes: UnsafeRawBufferPointer, _ owner: Owner) {
    let check = owner.check
    let row = owner.row
    let view: RecordView
    let layout: UInt16
    let slots: [Catalog.StoredProperty?]
    do throws(StorageError) {
      unsafe try RecordView.verify(bytes, type: check.type.id, row: row)
      (view, layout, slots) = unsafe try parts(of: bytes, check)
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
    checkShape(of: view, slots, check.place(row))
    var values = checkValues(of: view, slots, owner)
    for property in check.type.properties
    where check.type.slot(of: property.id, in: layout) == nil {
      values[property.id] = property.defaultValue
    }
    for index in check.indexes { checkEntry(of: row, values, in: index) }
    checkLinks(of: owner)
    checkOwner(of: owner)
  }

  private func parts(
    of bytes: UnsafeRawBufferPointer, _ check: TypeCheck
  ) throws(StorageError) -> (RecordView, UInt16, [Catalog.StoredProperty?]) {
    let layout = unsafe try RecordView.layout(of: bytes)
    guard let slots = check.slots[layout] else {
      throw .corrupted("the record has layout \(layout), which there is not")
    }
    return (unsafe try RecordView(bytes, slots: slots.count), layout, slots)
  }

  // MARK: Embedded objects

  /// Looks at the record of an embedded object, which the checksum of its owner's covers.
  func checkEmbedded(_ bytes: UnsafeRawBufferPointer, _ spot: Spot) {
    // A type that is missing has been reported with the catalog.
    guard let check = spot.property.target.flatMap({ embeddedCheck(of: $0) }) else { return }
    let view: RecordView
    let slots: [Catalog.StoredProperty?]
    do throws(StorageError) {
      (view, _, slots) = unsafe try parts(of: bytes, check)
    } catch {
      knowsRecords = false
      let text = if case .corrupted(let text) = error { text } else { "\(error)" }
      return note(.record, "embedded: " + text, spot.place)
    }
    if unsafe bytes[1] != 0 || bytes[4..<8].contains(where: { $0 != 0 }) {
      note(.record, "the embedded object has flags or a checksum", spot.place)
    }
    // Where an object has its version an embedded one has its number.
    checkNumber(view.version, spot.place)
    checkShape(of: view, slots, spot.place)
    _ = checkValues(of: view, slots, spot.owner, within: spot)
  }

  private func embeddedCheck(of type: UInt32) -> TypeCheck? {
    if let known = embeddedChecks[type] { return known }
    guard let stored = typesByNumber[type], stored.isEmbedded else { return nil }
    let check = TypeCheck(stored, [])
    embeddedChecks[type] = check
    return check
  }

  // MARK: Shape

  /// Looks at what the checksum does not say: bits beyond the slots, and parts of the heap.
  private func checkShape(
    of view: RecordView, _ slots: [Catalog.StoredProperty?],
    _ place: @autoclosure () -> VerificationFinding.Place
  ) {
    for bit in slots.count..<(view.slotsStart - RecordFormat.headerSize) * 8
    where view.isNull(bit) {
      note(.record, "bit \(bit) of the nulls has no slot", place())
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
      note(.record, "the flag for long values is not as the values are", place())
    }
    extents.sort { $0.lowerBound < $1.lowerBound }
    let count = unsafe view.bytes.count
    var end = heap
    for extent in extents {
      if extent.lowerBound < end || extent.upperBound > count {
        note(.record, "a value lies outside of the record or in another one", place())
      }
      end = max(end, extent.upperBound)
    }
  }
}
