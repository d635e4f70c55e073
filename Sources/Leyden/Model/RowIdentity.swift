package import Foundation

/// What makes a managed object the one that it is: the store, its type there, and its row.
package struct RowIdentity: Hashable, Sendable {
  /// The store's own identifier, which copies of an open store share.
  package let store: UUID
  /// The type's number in the store.
  package let type: UInt32
  /// The row's number; never given to another row.
  package let row: UInt64
}
