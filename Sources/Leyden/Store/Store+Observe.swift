extension Store {
  /// Calls `block` after every change of the store, whatever changed.
  ///
  /// There is no first call. Then there is one for one or more commits, of this process and of
  /// others: in the same turns as those of results' observers, in the order in which all of them
  /// were registered. While `block` runs, the store stays at the version that it was called for.
  ///
  /// - Parameter block: Whom to tell. It is kept until the token is released or invalidated.
  /// - Returns: The token that keeps the observation alive.
  public func observe(_ block: @escaping (StoreNotification, Store) -> Void) -> NotificationToken {
    let token = NotificationToken()
    let callback: StoreObserver.Callback = { [weak self] session in
      block(.didChange, self ?? Store(session: session))
    }
    // A store that cannot be read has a failure, which later calls throw.
    notifier.add(StoreObserver(token, version: version.number, callback))
    return token
  }

  /// What is committed from now on, by anybody, as an asynchronous sequence.
  ///
  ///     for await commit in store.commits where commit.changedTypes.contains("StoredNote") { … }
  ///
  /// Each iterator begins where the sequence was asked for, and gives one element for one or more
  /// commits. It may be iterated in any isolation domain.
  public var commits: AsyncChanges<CommitNotice> {
    let core = session.core
    let ending = session.ending
    let version = version.number
    return AsyncChanges(sendable: { .commits(of: core, after: version, ending) })
  }
}
