// SAFETY: the pointer lives as long as the instance, which the session and so every row keeps alive.
/// A number that live objects compare with their own before they read in place.
///
/// It rises whenever a record that was located may be somewhere else: at the start and end of a
/// transaction, and at each change within a write.
@safe
package final class Generation {
  /// The number; at a stable address for as long as this object lives.
  let pointer: UnsafeMutablePointer<UInt64>

  init() {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: 1)
  }

  deinit { unsafe pointer.deallocate() }

  /// The number now.
  var current: UInt64 { unsafe pointer.pointee }

  private var lastRevision: UInt64 = 0

  /// A number that no change of the session had before; never 0.
  func takeRevision() -> UInt64 {
    lastRevision += 1
    return lastRevision
  }

  /// Makes all located records stale.
  func advance() { unsafe pointer.pointee += 1 }
}
