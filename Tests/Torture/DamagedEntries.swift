import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport

/// Cases for what takes bytes apart that lie in a store: records, keys, catalog, log, long values, the
/// store's numbers, and the page that processes share.
///
/// Entries are changed behind the library's back, mostly with a checksum that belongs to them, so that
/// all that follows believes them. Then the store is opened, read, observed, changed and emptied: it may
/// refuse that by its own errors.
struct DamagedEntries {
  private let directory: TemporaryDirectory
  /// A whole store.
  private let data: Data
  private let signal: Data

  init(seed: UInt64) throws {
    directory = try TemporaryDirectory()
    let url = directory.url.appendingPathComponent("whole.leyden")
    let store = try Self.open(url)
    try Specimen.fill(store, count: 30)
    signal = try Data(contentsOf: url.appendingPathComponent("signal"))
    store.close()
    data = try Data(contentsOf: url.appendingPathComponent("data.mdb"))
  }

  private static func open(_ url: URL) throws -> Store {
    var configuration = Store.Configuration(
      fileURL: url, objectTypes: [Specimen.self, Item.self])
    configuration.durability = .unsafe
    return try Store(configuration: configuration)
  }

  /// Runs a case.
  ///
  /// - Returns: "read" where nothing was refused, otherwise "refused".
  /// - Throws: What was wrong.
  func run(_ random: inout RandomBytes) throws -> String {
    let url = directory.url.appendingPathComponent("damaged.leyden")
    try? FileManager.default.removeItem(at: url)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    try data.write(to: url.appendingPathComponent("data.mdb"))
    let isOpen = random.isOnce(in: 3)
    do {
      if isOpen {
        let store = try Self.open(url)
        defer { store.close() }
        let tokens = Self.observers(of: store)
        let environment = try store.session.core.environment
        try Self.damage(environment, &random, withNews: true)
        store.refresh()
        defer { withExtendedLifetime(tokens) {} }
        return try Self.use(store) ? "read" : "refused"
      }
      if random.isOnce(in: 8) {
        try damagedSignal(&random).write(to: url.appendingPathComponent("signal"))
      } else {
        let options = Environment.Options(durability: .unsafe)
        try Self.damage(Environment.open(at: url.path, options: options), &random, withNews: false)
      }
      let store = try Self.open(url)
      defer { store.close() }
      return try Self.use(store) ? "read" : "refused"
    } catch is StoreError { return "refused" }
  }

  // MARK: Damage

  private static let tables =
    ["meta", "catalog", "log", "large"] + (1...3).map { "t\($0)" } + (1...14).map { "i\($0)" }

  private func damagedSignal(_ random: inout RandomBytes) -> Data {
    if random.isOnce(in: 4) { return Data(random.changed(Array(signal))) }
    var page = Array(signal)
    for start in [40, 48, 52, 64, 72] where random.isOnce(in: 2) {
      let number = random.number()
      for place in 0..<8 { page[start + place] = UInt8(truncatingIfNeeded: number >> (place * 8)) }
    }
    return Data(page)
  }

  private static func damage(
    _ environment: Environment, _ random: inout RandomBytes, withNews: Bool
  ) throws {
    let write = try environment.beginWrite()
    defer { write.abort() }
    for _ in 0...random.number(below: 3) {
      let name = random.isOnce(in: 2) ? random.pick(tables) : random.pick(["t1", "log", "catalog"])
      guard let table = try write.table(named: name) else { continue }
      let entries = try entries(of: table, write)
      guard !entries.isEmpty else { continue }
      var (key, value) = entries[random.number(below: entries.count)]
      let old = key
      if withNews, name == "log", let newest = entries.last {
        key = bytes(of: number(newest.key.prefix(8)) &+ 1, 8) + [0, 0]
      } else if random.isOnce(in: 6) {
        key = Array(random.changed(key).prefix(511))
        if key.isEmpty { key = [0] }
        try remove(old, from: table, write)
      }
      value = random.changed(value)
      if !random.isOnce(in: 4) { seal(&value, key, name) }
      try put(value, for: key, in: table, write)
    }
    try write.commit()
  }

  private static func entries(
    of table: Table, _ transaction: Transaction
  ) throws -> [(key: [UInt8], value: [UInt8])] {
    var cursor = try transaction.cursor(in: table)
    var entries: [(key: [UInt8], value: [UInt8])] = []
    var found = try cursor.first()
    while found {
      unsafe entries.append((Array(cursor.key), Array(cursor.value)))
      found = try cursor.next()
    }
    return entries
  }

  private static func put(
    _ value: [UInt8], for key: [UInt8], in table: Table, _ write: WriteTransaction
  ) throws {
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try withBytes(of: value) { (value) throws(StorageError) in
        unsafe try write.put(value, for: key, in: table)
      }
    }
  }

  private static func remove(_ key: [UInt8], from table: Table, _ write: WriteTransaction) throws {
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      _ = unsafe try write.delete(key, in: table)
    }
  }

  /// Gives a value the checksum that belongs to its bytes and its place, where it has one.
  private static func seal(_ value: inout [UInt8], _ key: [UInt8], _ table: String) {
    let (type, row): (UInt64, UInt64)
    var start = 0
    switch table {
    case "catalog":
      let kind = UInt64(key.first ?? 0)
      let id = number(key.dropFirst().prefix(4))
      (type, row) = (0xffff_ff00 | kind, kind == 4 ? id << 16 | number(key.suffix(2)) : id)
      start = 4
    case "log": (type, row) = (number(key.dropFirst(8)), number(key.prefix(8)))
    case "large": (type, row) = (number(key.dropFirst(8)), number(key.prefix(8)))
    default:
      guard table.hasPrefix("t"), let id = UInt64(table.dropFirst()) else { return }
      (type, row) = (id, number(key.suffix(8)))
      start = 4
    }
    guard value.count >= start + 4 else { return }
    let (first, rest) = (Array(value[..<start]), Array(value[(start + 4)...]))
    let sum = unsafe first.withUnsafeBytes {
      unsafe checksum(of: $0, type: UInt32(truncatingIfNeeded: type), row: row)
    }
    let whole = unsafe rest.withUnsafeBytes { unsafe checksum(of: $0, after: sum) }
    value.replaceSubrange(start..<start + 4, with: bytes(of: UInt64(whole), 4).reversed())
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(of number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  // MARK: Use

  private static func observers(of store: Store) -> [NotificationToken] {
    let specimens = store.objects(Specimen.self)
    var tokens = [
      specimens.sorted(by: \.double).observe { _ in }, store.observe { _, _ in },
      specimens.where { $0.text >= "long" }.observe { _ in },
    ]
    if let first = specimens.first { tokens.append(first.observe { _ in }) }
    return tokens
  }

  /// Does with a store what programs do.
  ///
  /// - Returns: Whether nothing was refused.
  private static func use(_ store: Store) throws -> Bool {
    let specimens = store.objects(Specimen.self)
    let uses: [() throws -> Void] = [
      { if !(try store.verificationReport().isClean) { throw StoreError.corrupted("found") } },
      { try store.read { _ = specimens.map(\.contents) } },
      { _ = store.diagnostics.retainedLog },
      { _ = specimens.where { $0.text >= "" }.sorted(by: \.decimal).map(\.identifier) },
      { _ = specimens.where { $0.text.equals("TEXT É 9", options: .caseInsensitive) }.count },
      { _ = specimens.where { $0.date > .distantPast }.sorted(by: \.note).map(\.text) },
      { _ = (0..<30).map { store.object(ofType: Specimen.self, forPrimaryKey: $0)?.contents } },
      { _ = specimens.map(\.description) },
      {
        try store.write {
          for specimen in specimens { specimen.fill(specimen.identifier & 0xff, round: 3) }
        }
      },
      {
        try store.write {
          for number in 100..<110 {
            try store.create(Specimen.self, value: ["identifier": number, "code": "\(number)"])
          }
        }
      },
      { try store.write { if let first = specimens.first { try store.delete(first) } } },
      { try store.write { try store.deleteAll(Specimen.self) } },
      { _ = try store.write { try store.add(Item(4)) } },
      { if let failure = store.failure { throw failure } },
    ]
    var isRead = true
    for use in uses {
      do { try use() } catch is StoreError { isRead = false }
    }
    return isRead
  }
}
