import Foundation
import LeydenStorage

extension Store {
  /// What a store's file holds, and who keeps it from being used again.
  public struct Diagnostics: Sendable, Hashable {
    /// Somebody who reads one version, in this process or in another one.
    public struct Reader: Sendable, Hashable {
      /// The process.
      public var processIdentifier: Int32 = 0
      /// The version that is read.
      public var version = StoreVersion(number: 0)
      /// How many commits there have been since.
      public var commitsBehind = 0
      /// For how long that version has not been the newest one; 0 where it is, `nil` where the log
      /// does not reach back to it.
      public var age: Duration?
      /// How many pages cannot be used again for as long as it is read: the file grows by what is
      /// written instead.
      public var pagesHeld = 0
    }

    /// The size of the file in bytes.
    public var fileSize = 0
    /// The size of a page in bytes.
    public var pageSize = 0
    /// The number of the last page that was ever used.
    public var highestPage = 0
    /// How many pages the newest version needs.
    public var usedPages = 0
    /// How many pages it does not need; those that readers hold are among them.
    public var freePages = 0
    /// What the file can grow to before its place in memory has to, in bytes.
    public var mapSize = 0
    /// The newest version.
    public var version = StoreVersion(number: 0)
    /// Who reads, the oldest version first; a store that shows the newest version at each call
    /// is not among them while it does nothing.
    public var readers: [Reader] = []
    /// The process that is inside a write, for which all other writers wait; `nil` where none is, and
    /// where the system does not tell.
    public var writingProcess: Int32?
    /// The commits that the log keeps; `nil` where there are none.
    public var retainedLog: ClosedRange<StoreVersion>?
    /// The size of the log in bytes.
    public var logSize = 0

    /// The versions that somebody reads and that are older than the newest one.
    public var pinnedVersions: [StoreVersion] {
      Set(readers.map(\.version)).filter { $0 < version }.sorted()
    }
  }

  /// What the file holds, and who reads it, now.
  ///
  /// Reads as little as it can, and without LMDB, so that it works for a damaged file as well; what
  /// cannot be found out, as with a store that was closed, is 0 or empty.
  ///
  /// - Complexity: O(readers + records of the free list), of which there is one for each commit whose
  ///   pages are not used again yet.
  public var diagnostics: Diagnostics {
    guard !session.isClosed, let environment = session.core.openEnvironment else {
      return Diagnostics()
    }
    // Before this call itself reads.
    let readers = environment.openReaders()
    var diagnostics = Diagnostics()
    diagnostics.fileSize = environment.fileSize
    diagnostics.pageSize = environment.pageSize
    diagnostics.mapSize = environment.mapSize
    diagnostics.writingProcess = environment.writingProcess
    guard let snapshot = try? PageSnapshot(of: environment) else { return diagnostics }
    diagnostics.highestPage = Int(clamping: snapshot.lastPage)
    let log = LogEnds(snapshot)
    diagnostics.version = StoreVersion(number: log.newest)
    diagnostics.logSize = Int(clamping: log.pages) * environment.pageSize
    if let oldest = log.oldest, oldest <= log.newest {
      diagnostics.retainedLog =
        StoreVersion(number: oldest)...StoreVersion(number: log.newest)
    }
    var freed: [(transaction: UInt64, pages: Int)] = []
    snapshot.forEachFreed { freed.append(($0, $1)) }
    diagnostics.freePages = freed.reduce(0) { $0 + $1.pages }
    diagnostics.usedPages = max(0, diagnostics.highestPage + 1 - diagnostics.freePages)
    diagnostics.readers = readers.sorted { $0.transaction < $1.transaction }.map { reader in
      let behind = snapshot.transactionNumber - min(reader.transaction, snapshot.transactionNumber)
      let version = log.newest - min(behind, log.newest)
      let pages = freed.reduce(0) { $0 + ($1.transaction > reader.transaction ? $1.pages : 0) }
      return Diagnostics.Reader(
        processIdentifier: reader.process, version: StoreVersion(number: version),
        commitsBehind: Int(clamping: behind), age: log.age(of: version), pagesHeld: pages)
    }
    return diagnostics
  }
}
