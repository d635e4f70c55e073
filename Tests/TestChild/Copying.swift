import Foundation
import Leyden
import TestSupport

/// Roles that copy and compact, and that read what may not be written.
enum Copying {
  /// Compacts again and again, and says so each time.
  static func compact(_ store: Store) throws {
    say("ready")
    while true { say(try store.compact()) }
  }

  /// Copies the store again and again, each time to the same place.
  static func copy(_ store: Store, to path: String) throws {
    say("ready")
    while true {
      try store.writeCopy(to: URL(fileURLWithPath: path))
      say("copied")
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Gives all cards the same rank, which no other commit has, as fast as it can.
  static func changeRanks(in store: Store) throws {
    say("ready")
    while true {
      try store.write {
        let rank = (store.objects(Card.self).first?.rank ?? 0) + 1
        for card in store.objects(Card.self) { card.rank = rank }
      }
    }
  }

  /// Compacts once; says what came of it.
  static func compactOnce(_ store: Store) { say(outcome { try store.compact() }) }

  /// Gives up all rights, and reads in one of the ways in which a store is opened for reading.
  static func readAsNobody(_ way: String, _ path: String) {
    guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(77) }
    read(way, path)
    say("read")
    // Once more for each line of input, in stores that are opened anew.
    while readLine() != nil { read(way, path) }
  }

  /// Says how many cards there are, and what comes of a write.
  static func read(_ way: String, _ path: String) {
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [Card.self, Item.self])
    configuration.readOnly = way == "readOnly"
    configuration.immutable = way == "immutable"
    let store: Store
    do { store = try Store(configuration: configuration) } catch {
      return say("\(name(of: error)) \(error)")
    }
    say(
      outcome {
        try store.read {
          let cards = store.objects(Card.self)
          let ranks = Set(cards.map(\.rank))
          // One commit gives all of them the same.
          guard ranks.count <= 1 else { return "garbage \(ranks)" }
          return "\(cards.count)"
        }
      })
    say(outcome { try store.write { try store.add(Card("x")).identifier } })
  }

  /// Fills a small disk up to a rest, and does there what needs more room than that.
  static func onFullDisk(_ path: String) throws {
    let place = URL(fileURLWithPath: path)
    var configuration = Store.Configuration(
      fileURL: place.appendingPathComponent("Full.leyden"), objectTypes: [Card.self])
    let store = try Store(configuration: configuration)
    try store.write {
      for number in 0..<200 {
        let card = Card("\(number)", title: "known")
        card.thumbnail = Data(repeating: UInt8(number), count: 5_000)
        try store.add(card)
        let other = Card("other \(number)")
        other.thumbnail = Data(repeating: UInt8(number), count: 15_000)
        try store.add(other)
      }
    }
    try store.write { try store.delete(store.objects(Card.self).where { $0.title != "known" }) }
    let ballast = place.appendingPathComponent("ballast")
    try fill(ballast)
    let copy = place.appendingPathComponent("Copy.leyden")
    configuration.shouldCompactOnLaunch = { _, _ in true }

    func tryAll(_ store: Store) throws {
      say(outcome { try store.compact() })
      say(outcome { try store.writeCopy(to: copy) })
      store.close()
      let again = try Store(configuration: configuration)
      say(again.objects(Card.self).where { $0.title == "known" }.count)
      try again.verify()
      say(try FileManager.default.contentsOfDirectory(atPath: path).sorted())
      say(try FileManager.default.contentsOfDirectory(atPath: store.configurationPath).sorted())
    }
    try tryAll(store)
    try FileManager.default.removeItem(at: ballast)
    try tryAll(try Store(configuration: configuration))
  }

  /// Takes all room but less than the store needs once more.
  private static func fill(_ file: URL) throws {
    let descriptor = unsafe open(file.path, O_WRONLY | O_CREAT, 0o600)
    let bytes = [UInt8](repeating: 1, count: 4_096)
    while unsafe write(descriptor, bytes, bytes.count) == bytes.count {}
    close(descriptor)
  }

  static func outcome<Result>(_ body: () throws -> Result) -> String {
    do { return "\(try body())" } catch { return name(of: error) }
  }

  /// The name of the error's case.
  private static func name(of error: any Error) -> String {
    guard let error = error as? StoreError, error != .readOnly else {
      return error as? StoreError == .readOnly ? "readOnly" : "\(error)"
    }
    return Mirror(reflecting: error).children.first?.label ?? String(reflecting: error)
  }
}

extension Store {
  /// The path of the store's directory.
  fileprivate var configurationPath: String { session.core.url.path }
}
