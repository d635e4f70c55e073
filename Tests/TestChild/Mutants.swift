import Foundation
import Leyden
import TestSupport

/// Opens, verifies and reads stores whose bytes were changed, and says how that went.
enum Mutants {
  /// How it went with one of them.
  private enum Outcome: String {
    /// It was not opened.
    case notOpened
    /// It was opened, and verification threw or found something.
    case found
    /// Verification found nothing, and reading did.
    case notRead
    /// Nothing was found, and everything is as it was.
    case same
    /// Nothing was found, and something else was read.
    case different
  }

  /// Takes the mutants of the numbers from `first` on, and tells of each before and after.
  static func run(seed: UInt64, _ first: Int, _ end: Int, path: String) throws {
    let directory = URL(fileURLWithPath: path)
    let data = directory.appendingPathComponent("data.mdb")
    let whole = StoreBytes(Array(try Data(contentsOf: data)))
    let expected = try contents(of: whole.bytes, beside: directory, number: -1)
    for number in first..<end {
      say("\(number)")
      let mutation = StoreMutation(whole, seed: seed, number: number)
      let outcome = outcome(mutation.bytes, beside: directory, number, expected)
      say("\(number) \(outcome.rawValue)")
    }
  }

  private static func outcome(
    _ bytes: [UInt8], beside directory: URL, _ number: Int, _ expected: [String]
  ) -> Outcome {
    do {
      return try withStore(bytes, beside: directory, number) { store in
        guard let report = try? store.verificationReport() else { return .found }
        let isReadable = report.findings.allSatisfy { !isAboutPages($0.kind) }
        // What LMDB would not survive is not read.
        guard report.isClean || isReadable else { return .found }
        let contents = contents(of: store)
        if !report.isClean { return .found }
        guard store.failure == nil else { return .notRead }
        return contents == expected ? .same : .different
      }
    } catch {
      return .notOpened
    }
  }

  private static func isAboutPages(_ kind: VerificationFinding.Kind) -> Bool {
    switch kind {
    case .metaPage, .page, .pageReachedTwice, .keyOrder, .keyLength, .counts, .freePages,
      .lostPages, .tableOfNames:
      true
    default: false
    }
  }

  private static func contents(
    of bytes: [UInt8], beside directory: URL, number: Int
  ) throws -> [String] {
    try withStore(bytes, beside: directory, number) { contents(of: $0) }
  }

  /// Every property of every object.
  private static func contents(of store: Store) -> [String] {
    store.objects(Specimen.self).map(\.contents)
      + store.objects(Specimen.self).where { $0.text >= "" }.sorted(by: \.double).map(\.contents)
      + store.objects(Item.self).map { "\($0.value) \($0.name)" }
      + store.objects(Ship.self).map(\.contents) + store.objects(Harbor.self).map(\.contents)
      + store.objects(Crate.self).map { "\($0.number) \($0.weight) \($0.ships.map(\.number))" }
  }

  private static func withStore<Result>(
    _ bytes: [UInt8], beside directory: URL, _ number: Int, _ body: (Store) throws -> Result
  ) throws -> Result {
    let url = directory.appendingPathExtension("\(number)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(bytes).write(to: url.appendingPathComponent("data.mdb"))
    var configuration = Store.Configuration(
      fileURL: url, objectTypes: [Specimen.self, Item.self] + Ship.types)
    configuration.durability = .unsafe
    configuration.readOnly = number % 2 != 0
    let store = try Store(configuration: configuration)
    defer { store.close() }
    return try body(store)
  }
}
