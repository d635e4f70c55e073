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
/// 4. Each record, its long values, its entry in each index, its place in the log.
/// 5. Each index, for entries that no record has and for values that are not unique.
/// 6. The parts of long values that no record refers to.
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
    for type in types { checkRecords(of: type) }
    checkMentionsThatAreLeft()
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

  /// The table of a name; `nil` where it is missing, or where its pages are damaged.
  func soundTable(_ name: String) -> PageTree? {
    snapshot.table(name).flatMap { $0.isSound ? $0 : nil }
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
