/// A number that live objects compare with their own before they read in place.
///
/// It rises whenever a record that was located may be somewhere else: at the start and end of a
/// transaction, and at each change within a write.
// SAFETY: the pointer lives as long as the instance, which the session and so every row keeps alive.
@safe
package final class Generation {
  /// The number; at a stable address for as long as this object lives.
  let pointer: UnsafeMutablePointer<UInt64>

  init() {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: 1)
  }

  deinit { pointer.deallocate() }

  /// The number now.
  var current: UInt64 { pointer.pointee }

  /// Makes all located records stale.
  func advance() { pointer.pointee += 1 }
}
