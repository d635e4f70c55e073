import Foundation
import LeydenStorage

/// What the log says of rows: the newest mention of each.
struct LogMentions {
  /// A row of a type.
  struct Key: Hashable {
    let type: UInt32
    let row: UInt64
  }

  /// What happened last to a row.
  struct Mention {
    /// The newest version that wrote or deleted the record; 0 for none.
    var version: UInt64 = 0
    var isDeleted = false
    /// A newer version that changed only properties that were removed since: with values in the record,
    /// or linking objects.
    var unsure: UInt64?
  }

  /// Every change of this version and of later ones is mentioned.
  var floor: UInt64 = .max
  var rows: [Key: Mention] = [:]
}

/// The commits of the log as they are read, and the newest of their changes.
private struct LogReading {
  /// Older changes are let go beyond this many.
  static let limit = 1_000_000

  var version: UInt64?
  /// The parts of the version so far; `nil` where the first one is missing.
  var payload: [UInt8]?
  var parts: UInt16 = 0
  var changes: ArraySlice<(version: UInt64, changes: ObjectChangeSet)> = []
  var mentioned = 0

  mutating func keep(_ new: ObjectChangeSet, of version: UInt64) {
    changes.append((version, new))
    mentioned += Self.count(new)
    while mentioned > Self.limit, let oldest = changes.popFirst() {
      mentioned -= Self.count(oldest.changes)
    }
  }

  /// Lets everything go: what comes next does not follow it.
  mutating func startOver() {
    changes = []
    mentioned = 0
  }

  private static func count(_ changes: ObjectChangeSet) -> Int {
    changes.types.values.reduce(0) { $0 + $1.count }
  }
}

extension Verifier {
  /// Reads the log from the oldest commit on; keeps the newest mention of each row.
  func checkLog() {
    guard let table = snapshot.table(ChangeLog.table) else { return }
    var reading = LogReading()
    let known = knowsCatalog ? retiredTypes.union(types.map(\.id)) : nil
    unsafe table.forEach { key, value in
      guard key.count == 10 else {
        return unsafe note(.log, "the key has \(key.count) bytes", place(key))
      }
      let version = unsafe key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      let part = unsafe key.suffix(2).reduce(0) { $0 << 8 | UInt16($1) }
      if version != reading.version {
        finishCommit(&reading, known)
        beginCommit(&reading, version, part)
      } else if part != reading.parts {
        note(.log, "part \(reading.parts) of version \(version) is missing", unsafe place(key))
        reading.payload = nil
      }
      reading.parts = part &+ 1
      unsafe append(value, key, version, part, &reading)
    }
    finishCommit(&reading, known)
    report.version = StoreVersion(number: reading.version ?? 0)
    guard table.isSound else { return }
    mentions.floor = reading.changes.first?.version ?? (reading.version ?? 0) &+ 1
    let ordinals = Dictionary(
      uniqueKeysWithValues: Set(reading.changes.flatMap(\.changes.types.keys)).map {
        ($0, linkingOrdinals(of: $0))
      })
    for (version, changes) in reading.changes {
      for (type, rows) in changes.types {
        let linking = ordinals[type] ?? ([], [])
        for (row, change) in rows {
          keep(change, of: .init(type: type, row: row), version, linking)
        }
      }
    }
  }

  /// The ordinals of linking objects, for which records hold nothing, and of all properties.
  private func linkingOrdinals(of type: UInt32) -> (linking: Set<Int>, all: Set<Int>) {
    let properties = types.first { $0.id == type }?.properties ?? []
    return (
      Set(properties.filter { !$0.hasSlot }.map(\.ordinal)), Set(properties.map(\.ordinal))
    )
  }

  private func keep(
    _ change: ObjectChangeSet.Change, of key: LogMentions.Key, _ version: UInt64,
    _ known: (linking: Set<Int>, all: Set<Int>)
  ) {
    if case .modified(let properties) = change, !properties.ordinals.isEmpty {
      let ordinals = properties.ordinals.filter { !known.linking.contains($0) }
      // Only others' links changed: the record is as it was.
      if ordinals.isEmpty { return }
      if !ordinals.contains(where: known.all.contains) {
        mentions.rows[key, default: .init()].unsure = version
        return
      }
    }
    mentions.rows[key] = .init(version: version, isDeleted: change == .deleted)
  }

  private func place(_ key: UnsafeRawBufferPointer) -> VerificationFinding.Place {
    unsafe .init(table: ChangeLog.table, key: Array(key))
  }

  private func beginCommit(_ reading: inout LogReading, _ version: UInt64, _ part: UInt16) {
    let place = VerificationFinding.Place(table: ChangeLog.table)
    if let last = reading.version, version != last &+ 1 {
      note(.log, "version \(version) follows version \(last)", place)
      reading.startOver()
    }
    // Trimming may have taken the first parts of the oldest commit.
    if part != 0, reading.version != nil {
      note(.log, "part 0 of version \(version) is missing", place)
    }
    reading.version = version
    reading.parts = part
    reading.payload = part == 0 ? [] : nil
    report.commits += 1
  }

  private func append(
    _ value: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ version: UInt64,
    _ part: UInt16, _ reading: inout LogReading
  ) {
    guard value.count > 4, value.count <= ChangeLog.partSize + 4 else {
      reading.payload = nil
      return unsafe note(.log, "the part has \(value.count) bytes", place(key))
    }
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: value[4...])
    let stored = unsafe UInt32(littleEndian: value.loadUnaligned(as: UInt32.self))
    guard unsafe checksum(of: bytes, type: UInt32(part), row: version) == stored else {
      reading.payload = nil
      return unsafe note(
        .log, "part \(part) of version \(version) does not match its checksum", place(key))
    }
    if let payload = reading.payload, payload.count != Int(part) * ChangeLog.partSize {
      reading.payload = nil
      return unsafe note(
        .log, "a part before part \(part) of version \(version) is too short", place(key))
    }
    unsafe reading.payload?.append(contentsOf: bytes)
  }

  private func finishCommit(_ reading: inout LogReading, _ known: Set<UInt32>?) {
    guard let version = reading.version else { return }
    let place = VerificationFinding.Place(table: ChangeLog.table)
    var changes: ObjectChangeSet?
    if let payload = reading.payload, payload.count >= 4 {
      noting(.log, place) { () throws(StorageError) in
        changes = try ChangeLogEntry.decode(payload, version: version)
      }
      let parts = UInt16(payload[2]) | UInt16(payload[3]) << 8
      if parts != reading.parts {
        note(.log, "version \(version) has \(reading.parts) parts of \(parts)", place)
      }
    }
    guard let changes else { return reading.startOver() }
    for type in changes.types.keys where known?.contains(type) == false {
      note(.log, "version \(version) names type \(type), which there is not", place)
    }
    reading.keep(changes, of: version)
  }

  /// Compares a record's version with the newest mention of its row.
  func checkMention(
    of row: UInt64, _ version: UInt64, _ place: @autoclosure () -> VerificationFinding.Place,
    type: UInt32
  ) {
    let mention = mentions.rows.removeValue(forKey: .init(type: type, row: row))
    if version >= mentions.floor, mention == nil {
      note(.logMention, "version \(version) wrote the row and its log does not say so", place())
    }
    guard let mention, version != mention.unsure else { return }
    if mention.version == 0 {
      if version >= mentions.floor {
        note(.logMention, "version \(version) wrote the row and its log does not say so", place())
      }
    } else if mention.isDeleted {
      note(.logMention, "version \(mention.version) deleted the row, which is there", place())
    } else if mention.version != version {
      note(
        .logMention,
        "version \(mention.version) changed the row, whose record is of version \(version)",
        place())
    }
  }

  /// Rows that the log has and no table.
  func checkMentionsThatAreLeft() {
    let sound = Set(types.filter { soundTable($0.tableName) != nil }.map(\.id))
    let left = mentions.rows.filter { !$0.value.isDeleted && sound.contains($0.key.type) }
    for (key, mention) in left.sorted(by: { $0.key.row < $1.key.row }) {
      note(
        .logMention,
        "version \(mention.unsure ?? mention.version) wrote the row, which is not there",
        .init(
          table: "t\(key.type)", typeName: types.first { $0.id == key.type }?.name, row: key.row))
    }
  }
}
