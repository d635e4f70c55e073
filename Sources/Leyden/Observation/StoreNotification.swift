public import Foundation

/// What an observer of a whole store is told.
public enum StoreNotification: Sendable {
  /// The version moved on: somebody, in any process, committed something.
  case didChange
}

/// One element of `store.commits`: what one or more commits did.
public struct CommitNotice: Sendable {
  /// The newest version.
  public var version: StoreVersion
  /// The stored names of the types whose objects changed since the last element.
  ///
  /// All types where the log does not reach back so far; none where only the catalog changed.
  public var changedTypes: Set<String>
}

extension Notification.Name {
  /// Posted on `NotificationCenter.default` for each commit that changed something: once in each
  /// process that has the store open.
  ///
  /// The user info holds which store, which versions and which types, under the keys of
  /// ``StoreChangeKey``. Commits of this process's `write` and `commitWrite` are posted one by one,
  /// on the thread that wrote, when the write is over and before the store's observers are told;
  /// all others on a thread of the library, neighbours merged. A handler may use any store of its
  /// own thread, and write.
  ///
  /// A process hears of others' commits from the moment on that it first uses this constant: until
  /// then it has no thread that could be woken by them.
  public static let leydenStoreDidChange: Notification.Name = {
    CommitAnnouncer.beginListening()
    return CommitAnnouncer.notificationName
  }()
}
