import LeydenStorage

extension Verifier {
  /// A property of an object, or of an embedded one within it, while its value is checked.
  struct Spot {
    let owner: Owner
    let property: Catalog.StoredProperty
    /// The names on the way from the owner.
    let path: String
    /// Whether it is in an embedded object, which keeps nothing elsewhere.
    let isEmbedded: Bool

    var place: VerificationFinding.Place { owner.check.place(owner.row, path) }
  }

  /// Looks at the value in each slot of a record, or of an embedded object's.
  ///
  /// - Returns: The values that an index may be over, as far as they could be read.
  func checkValues(
    of view: RecordView, _ slots: [Catalog.StoredProperty?], _ owner: Owner,
    within spot: Spot? = nil
  ) -> [UInt32: StoredValue] {
    var values: [UInt32: StoredValue] = [:]
    for (slot, property) in slots.enumerated() {
      guard let property else { continue }
      let path = spot.map { "\($0.path).\(property.name)" } ?? property.name
      values[property.id] = checkValue(
        view, slot,
        Spot(owner: owner, property: property, path: path, isEmbedded: spot != nil))
    }
    return values
  }

  /// Reads and checks one value; `nil` where it cannot be read, and for collections.
  private func checkValue(_ view: RecordView, _ slot: Int, _ spot: Spot) -> StoredValue? {
    func complain(_ text: String) { note(.value, text, spot.place) }
    let property = spot.property
    let word = view.word(slot)
    if view.isNull(slot) {
      if word != 0 { complain("the value is null and not 0") }
      if !property.isOptional, !property.type.isCollection {
        complain("the value is null, and the property is not optional")
      }
      return .null
    }
    guard property.type.isStoredAsBytes else { return checkNumber(word, property.type, spot) }
    let top = word >> 56
    guard top <= 0x87 || top == 0xff else {
      knowsRecords = false
      complain("the slot has no form that is known")
      return nil
    }
    if let reference = view.largeReference(slot) {
      if spot.isEmbedded { complain("an embedded object refers to a long value") }
      guard let bytes = readLarge(reference, spot.place) else {
        // What it led to, nobody knows.
        if !property.type.isScalar || property.type == .anyValue { knowsRecords = false }
        return nil
      }
      if unsafe !bytes.starts(with: view.largePrefix(slot)) {
        complain("the beginning that is kept is not that of the value")
      }
      return unsafe bytes.withUnsafeBytes { unsafe checkBytes($0, property.type, spot) }
    }
    let bytes = unsafe view.bytes(slot)
    if top < 0x80, bytes.count <= RecordFormat.inlineCapacity {
      complain("a value of \(bytes.count) bytes is not in its slot")
    }
    return unsafe checkBytes(bytes, property.type, spot)
  }

  /// Looks at a value that is stored as a number: a property's, or an element.
  func checkNumber(_ word: UInt64, _ type: PropertyType, _ spot: Spot) -> StoredValue {
    let value = StoredValue(type, word: word)
    if !isStored(value, of: type, as: word) {
      note(.value, "\(word) is no \(type)", spot.place)
    }
    if type == .link { noteLink(spot.property.reference(word), spot) }
    return value
  }

  /// Looks at a value that is stored as bytes: a property's, or an element.
  ///
  /// - Returns: `nil` for a collection, or what is none of the type.
  func checkBytes(
    _ bytes: UnsafeRawBufferPointer, _ type: PropertyType, _ spot: Spot
  ) -> StoredValue? {
    func complain(_ text: String) { note(.value, text, spot.place) }
    switch type {
    case .list, .set, .map:
      unsafe checkCollection(bytes, spot)
      return nil
    case .linkingObjects:
      complain("linking objects have a value")
      return nil
    case .embedded: unsafe checkEmbedded(bytes, spot)
    case .string where unsafe String(validating: bytes, as: UTF8.self) == nil:
      complain("the text is not UTF-8")
    default: break
    }
    let value = unsafe StoredValue(type, bytes: bytes)
    if value == .null { complain("\(bytes.count) bytes are no \(type)") }
    switch value {
    case .decimal(let decimal) where type == .decimal:
      if unsafe !bytes.elementsEqual(StoredDecimal(decimal).bytes) {
        complain("the number is not written in its one form")
      }
    case .object(let reference): noteLink(reference, spot)
    default: break
    }
    if type == .anyValue, value != .null,
      unsafe !bytes.elementsEqual(AnyValueCoding.encode(value))
    {
      complain("the value is not written in its one form")
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
}
