/// Keeps an observation alive for as long as it is held.
///
///     let token = store.objects(StoredNote.self).observe { change in … }
///
/// The observation ends when the token is released or ``invalidate()`` is called, whichever is
/// first. A call that is already running when that happens runs to its end; no other one begins.
///
/// A token may be released on any thread. It keeps neither the store nor the results open; what
/// the callback captured is released with the observation.
public final class NotificationToken: Sendable {
  /// What the token and its observer share: the callback, until the observation ends.
  ///
  /// The token lets go of the callback itself, and does not wait for the observer's next turn: a
  /// callback that captured its store would keep that open for ever.
  package final class State: Sendable {
    private let callback = Locked<Any?>(nil)

    /// Whether the observation goes on.
    package var isAlive: Bool { callback.withLock { $0 } != nil }

    func begin(_ new: Any) { callback.withLock { $0 = new } }

    func callback<Callback>(as type: Callback.Type) -> Callback? {
      callback.withLock { $0 } as? Callback
    }

    func end() {
      // Released outside of the lock: the callback may own the last reference to anything.
      _ = callback.withLock { old in
        defer { old = nil }
        return old
      }
    }
  }

  let state = State()

  init() {}

  deinit { state.end() }

  /// Ends the observation.
  public func invalidate() { state.end() }
}
