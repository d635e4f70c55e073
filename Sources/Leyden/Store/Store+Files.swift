public import Foundation
import LeydenStorage

extension Store {
  /// Whether there is a store where the configuration says.
  ///
  /// It need not be one that can be opened. An in-memory store has no files.
  public static func fileExists(for configuration: Configuration) -> Bool {
    guard configuration.inMemoryIdentifier == nil,
      let url = try? configuration.resolvedURL(mayCreate: false)
    else { return false }
    return StoreFiles.exist(at: url.path)
  }

  /// Deletes the store that the configuration names, with all that is in it.
  ///
  /// The directory goes too, where it holds nothing else. Whether the store is open is known
  /// for this process from its own list, and for others by the lock that each process holds on the
  /// store's `lock.mdb` for as long as it has it open, and loses even if it is killed. Nobody opens
  /// the store while it is being deleted. A store that was closed with ``close()`` is not open.
  ///
  /// - Returns: Whether there was anything to delete; always false for an in-memory store.
  /// - Throws: ``StoreError/alreadyOpen(_:)`` where it is open, and nothing was done;
  ///   ``StoreError/notAStore(_:found:)``, ``StoreError/permissionDenied(_:)`` and what the system
  ///   reports.
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws(StoreError) -> Bool {
    guard configuration.inMemoryIdentifier == nil else { return false }
    let url = try configuration.resolvedURL(mayCreate: false)
    let deletion: StoreFiles.Deletion
    do { deletion = try StoreFiles.delete(at: url.path) } catch {
      throw StoreError(error, at: url)
    }
    switch deletion {
    case .deleted: return true
    case .absent: return false
    case .inUse: throw .alreadyOpen(url)
    }
  }

  /// The schema version of the store in a directory, which is opened for reading to find out.
  ///
  /// - Throws: ``StoreError/fileNotFound(_:)``, ``StoreError/notAStore(_:found:)`` and what else
  ///   opening runs into.
  public static func schemaVersion(at url: URL) throws(StoreError) -> UInt64 {
    var options = Environment.Options(readOnly: true, mayCreate: false)
    options.joinsAny = true
    let opened = try StoreCore.open(at: url, options: options)
    do {
      let transaction = try opened.environment.beginRead()
      defer { transaction.end() }
      return try opened.core.catalog(in: transaction).schemaVersion
    } catch { throw StoreError(error, at: url) }
  }
}
