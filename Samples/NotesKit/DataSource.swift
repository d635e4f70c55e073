public import Foundation

/// A place that keeps values, whatever is behind it.
public protocol DataSource: AnyObject {
  /// Stores a value; one with the same identity is replaced.
  func store<T>(object: T) throws

  /// Deletes a value; does nothing where it is not there.
  func delete<T>(object: T) throws
}

/// Why a data source refused a value.
public enum DataSourceError: LocalizedError, Equatable {
  /// The data source keeps no values of this type.
  case unsupportedType(String)

  /// What happened to what.
  public var errorDescription: String? {
    switch self {
    case .unsupportedType(let type): "A value of type \(type) was not stored: only notes are."
    }
  }

  /// What to do about it.
  public var recoverySuggestion: String? {
    switch self {
    case .unsupportedType: "Pass a Note."
    }
  }
}

extension Notification.Name {
  /// A note was stored or deleted; listeners should show what there is now.
  public static let noteDataChanged = Notification.Name("noteDataChanged")
}
