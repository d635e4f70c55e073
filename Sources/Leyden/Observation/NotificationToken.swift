import Synchronization

/// Keeps an observation alive for as long as it is held.
///
///     let token = store.objects(StoredNote.self).observe { change in … }
///
/// The observation ends when the token is released or ``invalidate()`` is called, whichever is
/// first. A call that is already running when that happens runs to its end; no other one begins.
///
/// A token may be released on any thread. It keeps neither the store nor the results open.
public final class NotificationToken: Sendable {
  /// What the token and its observer share.
  final class State: Sendable {
    private let alive = Atomic(true)
    var isAlive: Bool { alive.load(ordering: .acquiring) }
    func end() { alive.store(false, ordering: .releasing) }
  }

  let state = State()

  init() {}

  deinit { state.end() }

  /// Ends the observation.
  public func invalidate() { state.end() }
}
