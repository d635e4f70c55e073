import Foundation
package import LeydenStorage

/// Compares a whole store with Docs/FileFormat.md.
///
/// Reads one version through ``PageSnapshot``, that is without LMDB, so that it survives every
/// file; changes nothing; collects what it finds and goes on.
///
/// 1. The pages: everything else is read through those that are sound.
/// 2. `meta`, the catalog and the tables that it names.
/// 3. The log, whose newest mention of each row is kept.
/// 4. Each record, its long values, embedded objects, collections and links, its entry in each index, its
///    place in the log.
/// 5. Each index, for entries that no record has and for values that are not unique.
/// 6. Entries among the inverses, parts of collections and of long values that no record accounts for.
///
/// Where a table's pages are damaged, what is missing from it is not reported once more: only what
/// can be read is compared.
///
/// For one thread, once.
package final class Verifier {
  let snapshot: PageSnapshot
  let path: String
  private let limit: Int
  package internal(set) var report = VerificationReport()

  // What the steps leave for those after them.
  var meta = StoredMeta()
  var types: [Catalog.StoredType] = []
  /// The types that were removed: the log may still tell of them.
  var retiredTypes: Set<UInt32> = []
  /// The same by their numbers, when the catalog was read.
  private(set) lazy var typesByNumber = Dictionary(types.map { ($0.id, $0) }) { first, _ in first }
  /// Tables that were asked for: each remembers pages that it has looked at.
  private var soundTables: [String: PageTree?] = [:]
  /// Whether all of the catalog could be read.
  var knowsCatalog = true
  /// Whether all records could be read.
  var knowsRecords = true
  /// The newest mention of each row in the log, as far as it is kept.
  var mentions = LogMentions()
  /// Every row number and number of a long value.
  var numbers = NumberSet()
  /// The long values that records refer to.
  var largeValues = NumberSet()
  /// The types that are embedded, as they are needed.
  var embeddedChecks: [UInt32: TypeCheck] = [:]
  /// The types whose objects others are meant to own.
  var ownedTypes: Set<UInt32> = []
  /// Links by their targets.
  private(set) lazy var inverseTable = snapshot.table(InverseEntry.table)
  /// Entries there that are of links.
  var foundInverses: UInt64 = 0
  /// Whether links are kept, to be looked up afterwards.
  let followsLinks: Bool
  var followed: Set<InverseEntry> = []
  /// The rule by which keys of sets and maps are cut; `nil` where it is not known.
  private(set) lazy var longKey = meta.uuid.map { LongKey(fieldCount: 1, store: $0) }
  /// Parts of collections.
  private(set) lazy var listsTable = snapshot.table(CollectionKey.table)
  /// Entries there that are of collections.
  var foundParts: UInt64 = 0
  /// The parts of long values.
  private(set) lazy var largeTable = snapshot.table(LargeValues.table)

  /// Takes the newest version.
  ///
  /// - Parameters:
  ///   - environment: The store's file.
  ///   - limit: How many findings are kept.
  /// - Throws: As ``PageSnapshot/init(of:)``.
  package init(_ environment: Environment, limit: Int) throws(StorageError) {
    snapshot = try PageSnapshot(of: environment)
    path = environment.path
    self.limit = limit
    followsLinks = false
  }

  /// Reads the records of another one once more, only for what they lead to.
  init(again first: Verifier) {
    snapshot = first.snapshot
    path = first.path
    limit = 0
    followsLinks = true
    meta = first.meta
    types = first.types
    knowsCatalog = first.knowsCatalog
    report.version = first.report.version
  }

  /// Does it all.
  ///
  /// - Throws: ``StorageError/newerFormat(path:found:)`` for what only a newer version of the library
  ///   knows how to keep.
  /// - Complexity: O(*n* log *n*) for *n* rows and index entries. A bit of memory for each page of the
  ///   file, half a byte for each row, what the log says of a million rows, and one long value at a
  ///   time.
  package func run() throws(StorageError) {
    checkPages()
    checkMeta()
    guard meta.oldestReader <= MetaEntry.formatVersion else {
      throw .newerFormat(path: path, found: meta.format)
    }
    try checkCatalog()
    checkLog()
    findOwnedTypes()
    for type in types { checkRecords(of: type) }
    checkMentionsThatAreLeft()
    checkInverseEntries()
    checkUnownedParts()
    checkUnownedChunks()
  }

  private func checkPages() {
    // The closure must not keep the verifier, which keeps the snapshot.
    var findings: [VerificationFinding] = []
    snapshot.check { finding in findings.append(VerificationFinding(finding)) }
    for finding in findings { note(finding) }
  }

  // MARK: Findings

  func note(_ kind: VerificationFinding.Kind, _ detail: String, _ place: VerificationFinding.Place)
  {
    note(VerificationFinding(kind, place, detail))
  }

  func note(_ finding: VerificationFinding) {
    if report.findings.count < limit {
      report.findings.append(finding)
    } else {
      report.findingsLeftOut += 1
    }
  }

  func noteOrphan(_ place: VerificationFinding.Place) {
    if report.orphans.count < limit {
      report.orphans.append(place)
    } else {
      report.orphansLeftOut += 1
    }
  }

  /// The table of a name; `nil` where it is missing, or where its pages are damaged.
  func soundTable(_ name: String) -> PageTree? {
    if let known = soundTables[name] { return known }
    let table = snapshot.table(name).flatMap { $0.isSound ? $0 : nil }
    soundTables[name] = .some(table)
    return table
  }

  /// Runs a check that throws what it finds.
  func noting(
    _ kind: VerificationFinding.Kind, _ place: @autoclosure () -> VerificationFinding.Place,
    _ body: () throws(StorageError) -> Void
  ) {
    do { try body() } catch {
      let text = if case .corrupted(let text) = error { text } else { "\(error)" }
      note(kind, text, place())
    }
  }
}

extension VerificationFinding {
  init(_ finding: PageFinding) {
    let kind: Kind =
      switch finding.kind {
      case .metaPage: .metaPage
      case .page: .page
      case .pageReachedTwice: .pageReachedTwice
      case .keyOrder: .keyOrder
      case .keyLength: .keyLength
      case .counts: .counts
      case .freePages: .freePages
      case .lostPages: .lostPages
      case .tableOfNames: .tableOfNames
      }
    self.init(kind, Place(table: finding.table, page: finding.page), finding.text)
  }
}
