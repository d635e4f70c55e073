import Foundation
import Leyden
import LeydenStorage
import LeydenTesting

/// Cases for what takes bytes apart and needs no store for it.
///
/// Each one makes a value, compares what is decoded with it, then changes the bytes: they are decoded to
/// anything, or refused by an error of the library.
struct Decoding {
  private typealias Case = @Sendable (inout Decoding) throws -> Bool

  private static let cases: [Case] = [
    { try $0.record() }, { try $0.key() }, { try $0.logEntry() }, { try $0.anyValue() },
    { try $0.decimal() }, { try $0.identifier() }, { try $0.objectId() },
  ]

  var random: RandomBytes

  /// Runs a case.
  ///
  /// - Returns: "read" or "refused", whichever became of the changed bytes.
  /// - Throws: What was wrong.
  mutating func run(_ number: Int) throws -> String {
    try Self.cases[number % Self.cases.count](&self) ? "read" : "refused"
  }

  private func require(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
    if !isRight { throw WrongDecoding(what()) }
  }

  // MARK: Records

  private mutating func record() throws -> Bool {
    let heapSlots = (0..<random.number(below: 70)).map { _ in random.isOnce(in: 2) }
    let record = MutableRecord(heapSlots: heapSlots)
    var expected: [[UInt8]?] = []
    for (slot, isHeap) in heapSlots.enumerated() {
      let value =
        random.isOnce(in: 5) ? nil : isHeap ? random.bytes(below: 90) : bytes(of: number())
      if let value, isHeap {
        unsafe try value.withUnsafeBytes { unsafe try record.set($0, in: slot) }
      }
      if let value, !isHeap { record.set(number(of: value), in: slot) }
      expected.append(value)
    }
    let bytes = unsafe Array(record.finish(layout: 7, type: 3, row: 99, version: 5))
    let found = unsafe try bytes.withUnsafeBytes { bytes in
      unsafe try RecordView.verify(bytes, type: 3, row: 99)
      return try values(of: unsafe RecordView(bytes, slots: heapSlots.count), heapSlots)
    }
    try require(found == expected, "the record \(bytes) was read as \(found)")
    let changed = random.changed(bytes)
    // Without its checksum, too: conditions are tested before it is compared.
    return unsafe try changed.withUnsafeBytes { bytes in
      _ = unsafe try? RecordView.layout(of: bytes)
      let isWhole = unsafe (try? RecordView.verify(bytes, type: 3, row: 99)) != nil
      guard let view = unsafe try? RecordView(bytes, slots: heapSlots.count) else { return isWhole }
      _ = try values(of: view, heapSlots)
      let copy = MutableRecord(heapSlots: heapSlots)
      for slot in heapSlots.indices { try copy.copy(view, slot: slot, to: slot) }
      _ = unsafe copy.finish(layout: 7, type: 3, row: 99, version: 5)
      return isWhole
    }
  }

  private func values(of view: RecordView, _ heapSlots: [Bool]) throws -> [[UInt8]?] {
    heapSlots.enumerated().map { slot, isHeap in
      if view.isNull(slot) { return nil }
      if view.largeReference(slot) != nil { return unsafe Array(view.largePrefix(slot)) }
      if isHeap { return unsafe Array(view.bytes(slot)) }
      return bytes(of: view.word(slot))
    }
  }

  private mutating func number() -> UInt64 { random.number() }

  private func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private func number(of bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Keys

  private enum Field: Equatable {
    case bool(Bool), int(Int64), unsigned(UInt64), short(UInt32), double(UInt64), bytes([UInt8]),
      uuid(UUID)
  }

  private mutating func field() -> Field {
    switch random.number(below: 7) {
    case 0: .bool(random.isOnce(in: 2))
    case 1: .int(Int64(bitPattern: number()))
    case 2: .unsigned(number())
    case 3: .short(UInt32(truncatingIfNeeded: number()))
    case 4: .double(Double(random.number(below: 1 << 40)).bitPattern)
    case 5: .bytes(random.bytes(below: 30))
    default: .uuid(UUID())
    }
  }

  private mutating func key() throws -> Bool {
    let fields = (0..<random.number(below: 5) + 1).map { _ in field() }
    let isDescending = random.isOnce(in: 2)
    var encoder = KeyEncoder()
    for field in fields {
      switch field {
      case .bool(let value): encoder.append(value)
      case .int(let value): encoder.append(value)
      case .unsigned(let value): encoder.append(value)
      case .short(let value): encoder.append(value)
      case .double(let bits): encoder.append(Double(bitPattern: bits))
      case .bytes(let value):
        unsafe value.withUnsafeBytes { unsafe encoder.append(data: $0, terminated: true) }
      case .uuid(let value): encoder.append(value)
      }
    }
    if isDescending { encoder.complement(from: 0) }
    let key = encoder.bytes
    let found = try Self.fields(of: key, as: fields, isDescending)
    try require(found == fields, "the key \(key) of \(fields) was read as \(found)")
    let changed = random.changed(key)
    _ = unsafe changed.withUnsafeBytes { unsafe row(atEndOf: $0) }
    do { _ = try Self.fields(of: changed, as: fields, isDescending) } catch is StorageError {
      return false
    }
    return true
  }

  private static func fields(
    of key: [UInt8], as fields: [Field], _ isDescending: Bool
  ) throws -> [Field] {
    unsafe try key.withUnsafeBytes { bytes in
      var decoder = unsafe KeyDecoder(bytes)
      unsafe decoder.isComplemented = isDescending
      return try fields.map { field in
        switch field {
        case .bool: .bool(try unsafe decoder.readBool())
        case .int: .int(try unsafe decoder.readInt64())
        case .unsigned: .unsigned(try unsafe decoder.readUInt64())
        case .short: .short(try unsafe decoder.readUInt32())
        case .double: .double(try unsafe decoder.readDouble().bitPattern)
        case .bytes: .bytes(try unsafe decoder.readVariable().bytes)
        case .uuid: .uuid(try unsafe decoder.readUUID())
        }
      }
    }
  }

  // MARK: The log

  private mutating func logEntry() throws -> Bool {
    var changes = ObjectChangeSet()
    changes.changesCatalog = random.isOnce(in: 4)
    for _ in 0..<random.number(below: 4) {
      let type = UInt32(truncatingIfNeeded: number())
      for _ in 0..<random.number(below: 9) + 1 {
        changes.types[type, default: [:]][number()] = change()
      }
    }
    let bytes = ChangeLogEntry.encode(
      changes, date: Date(timeIntervalSince1970: 1e9), author: random.text(below: 9),
      partSize: 1_896)
    let found = try ChangeLogEntry.decode(bytes, version: 4)
    try require(
      found?.types == changes.types && found?.changesCatalog == changes.changesCatalog,
      "the log entry \(bytes) of \(changes) was read as \(String(describing: found))")
    let changed = random.changed(bytes)
    do throws(StorageError) {
      guard let other = try ChangeLogEntry.decode(changed, version: 4) else { return true }
      changes.merge(other)
      return true
    } catch { return false }
  }

  private mutating func change() -> ObjectChangeSet.Change {
    switch random.number(below: 3) {
    case 0: return .inserted
    case 1: return .deleted
    default:
      var properties = ObjectChangeSet.Properties()
      let limit = random.pick([3, 56, 64, 1_000])
      for _ in 0...random.number(below: 4) { properties.insert(random.number(below: limit)) }
      return .modified(properties)
    }
  }

  // MARK: Values

  private mutating func value() -> StoredValue {
    switch random.number(below: 11) {
    case 0: .null
    case 1: .bool(random.isOnce(in: 2))
    case 2: .int(Int64(bitPattern: number()))
    case 3: .float(Float(bitPattern: UInt32(truncatingIfNeeded: number())))
    case 4: .double(Double(bitPattern: number()))
    case 5: .string(random.text(below: 20))
    case 6: .data(Data(random.bytes(below: 20)))
    case 7: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: number())))
    case 8: .uuid(UUID())
    case 9: .decimal(Decimal(Int64(bitPattern: number())) / 1_000)
    default: .objectId(ObjectId.generate())
    }
  }

  private mutating func anyValue() throws -> Bool {
    let value = value()
    let bytes = AnyValueCoding.encode(value)
    let found = unsafe bytes.withUnsafeBytes { unsafe AnyValueCoding.decode($0) }
    try require(found.isIdentical(to: value), "\(value), stored as \(bytes), was read as \(found)")
    let changed = random.changed(bytes)
    let other = unsafe changed.withUnsafeBytes { unsafe AnyValueCoding.decode($0) }
    try use(other)
    return other != .null
  }

  private mutating func decimal() throws -> Bool {
    let value = Decimal(Int64(bitPattern: number())) * Decimal(Int64(bitPattern: number()))
    let bytes = StoredDecimal(value).bytes
    let found = unsafe bytes.withUnsafeBytes { unsafe StoredDecimal(bytes: $0) }
    try require(found?.decimal == value, "\(value) was read as \(String(describing: found))")
    let changed = random.changed(bytes)
    guard let other = unsafe changed.withUnsafeBytes({ unsafe StoredDecimal(bytes: $0) }) else {
      return false
    }
    try use(.decimal(other.decimal))
    _ = (other < StoredDecimal(value), other <= StoredDecimal(value), StoredDecimal(value) < other)
    return true
  }

  /// What a program does with a value that it reads.
  private func use(_ value: StoredValue) throws {
    _ = value.description
    let bytes = AnyValueCoding.encode(value)
    let again = unsafe bytes.withUnsafeBytes { unsafe AnyValueCoding.decode($0) }
    if case .decimal(let number) = value, number.isNaN { return }
    try require(again.isIdentical(to: value), "\(value) became \(again)")
  }

  // MARK: Texts

  private mutating func identifier() throws -> Bool {
    let name = random.text(below: 12)
    let identifier = PersistentIdentifier(
      row: number(), in: UUID(), typeName: name.isEmpty ? "Account" : name)
    return try text(identifier)
  }

  private mutating func objectId() throws -> Bool { try text(ObjectId.generate()) }

  /// A value that is encoded as a text.
  private mutating func text<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    let bytes = Array(try JSONEncoder().encode([value]))
    let found = try JSONDecoder().decode([Value].self, from: Data(bytes))
    try require(found == [value], "\(value) was read as \(found)")
    let text = String(
      decoding: random.changed(Array(bytes.dropFirst(2).dropLast(2))), as: UTF8.self)
    do {
      let other = try JSONDecoder().decode(
        [Value].self, from: try JSONEncoder().encode([text.replacing("\\/", with: "/")]))
      let again = try JSONDecoder().decode([Value].self, from: try JSONEncoder().encode(other))
      try require(again == other, "\(other) became \(again)")
      return true
    } catch is DecodingError { return false }
  }
}
