import Foundation
import Leyden

extension CommandError {
  /// Makes the error that a program reports for any other one.
  package init(_ error: any Error) {
    switch error {
    case let error as CommandError:
      self = error
    case let error as StoreError:
      let (status, code) = Self.classify(error)
      self.init(
        status, code: code, message: error.errorDescription ?? code, hint: Self.hint(for: error),
        details: Self.details(of: error))
    default:
      let localized = error as? any LocalizedError
      self.init(
        .failure, message: localized?.errorDescription ?? error.localizedDescription,
        hint: localized?.recoverySuggestion)
    }
  }

  /// The exit code, and the word for scripts, of each way that a store can fail.
  private static func classify(_ error: StoreError) -> (ExitStatus, String) {
    switch error {
    case .fileNotFound: (.notFound, "file_not_found")
    case .invalidatedObject: (.notFound, "invalidated_object")
    case .duplicatePrimaryKey: (.conflict, "duplicate_primary_key")
    case .tooManyReaders: (.busy, "too_many_readers")
    case .alreadyOpenDifferently: (.busy, "already_open_differently")
    case .notAStore: (.unreadableStore, "not_a_store")
    case .newerFormat: (.unreadableStore, "newer_format")
    case .schemaMismatch: (.unreadableStore, "schema_mismatch")
    case .corrupted: (.unreadableStore, "corrupted")
    case .storeReplaced: (.unreadableStore, "store_replaced")
    case .invalidQuery: (.badInput, "invalid_query")
    case .invalidValue: (.badInput, "invalid_value")
    case .valueTooLarge: (.badInput, "value_too_large")
    case .permissionDenied: (.cannotCreate, "permission_denied")
    case .readOnly: (.inputOutput, "read_only")
    case .diskFull: (.inputOutput, "disk_full")
    case .mapFull: (.inputOutput, "map_full")
    default: (.failure, "failed")
    }
  }

  /// What to do about an error, for somebody who runs a program instead of writing one.
  private static func hint(for error: StoreError) -> String? {
    switch error {
    case .fileNotFound:
      "Check the path. Adding something creates the store, but not the directories above it."
    case .readOnly: "Leave out --readonly."
    default: error.recoverySuggestion
    }
  }

  /// The data that an error carries.
  private static func details(of error: StoreError) -> [JSON.Member] {
    switch error {
    case .fileNotFound(let url), .notAStore(let url, _), .newerFormat(let url, _),
      .alreadyOpenDifferently(let url), .permissionDenied(let url), .diskFull(let url),
      .storeReplaced(let url):
      [("path", .string(url.path))]
    case .duplicatePrimaryKey(let type, let key):
      [("type", .string(type)), ("key", .string(key))]
    case .schemaMismatch(let differences):
      [("differences", .strings(differences.map(\.description)))]
    case .valueTooLarge(let bytes):
      [("bytes", .integer(bytes))]
    default: []
    }
  }
}
