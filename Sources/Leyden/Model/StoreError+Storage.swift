package import Foundation
package import LeydenStorage

extension StoreError {
  /// The one translation of the storage layer's errors.
  ///
  /// - Parameters:
  ///   - error: What the storage layer threw.
  ///   - url: The store, for errors that do not name a path themselves.
  package init(_ error: StorageError, at url: URL) {
    self =
      switch error {
      case .fileNotFound(let path): .fileNotFound(URL(fileURLWithPath: path))
      case .notAStore(let path, let reason):
        .notAStore(URL(fileURLWithPath: path), found: reason)
      case .newerFormat(let path, let found):
        .newerFormat(URL(fileURLWithPath: path), found: Int(found))
      case .alreadyOpenDifferently(let path):
        .alreadyOpenDifferently(URL(fileURLWithPath: path))
      case .alreadyOpen(let path): .alreadyOpen(URL(fileURLWithPath: path))
      case .fileExists(let path): .fileExists(URL(fileURLWithPath: path))
      case .permissionDenied(let path): .permissionDenied(URL(fileURLWithPath: path))
      case .readOnly: .readOnly
      case .diskFull: .diskFull(url)
      case .mapFull: .mapFull
      case .tooManyReaders: .tooManyReaders
      case .tooManyVersions(let active, let allowed):
        .tooManyVersions(active: active, allowed: allowed)
      case .transactionTooLarge:
        .failed(operation: "Writing", reason: "one transaction changed more than it can hold")
      case .valueTooLarge(let bytes): .valueTooLarge(bytes: bytes)
      case .corrupted(let what): .corrupted(what)
      case .storeReplaced(let path): .storeReplaced(URL(fileURLWithPath: path))
      case .usedAfterFork: .usedAfterFork
      case .nestedWrite: .nestedWrite
      case .closed: .closed
      case .unsupported(let what): .unsupported(what)
      case .failed(let code, let operation):
        .failed(operation: operation, reason: "\(code) at \(url.path)")
      }
  }
}
