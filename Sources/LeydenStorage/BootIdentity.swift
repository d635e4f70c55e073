internal import CLeyden

/// What tells one run of the machine from the next.
package struct BootIdentity: Equatable, Sendable {
  var first: UInt64
  var second: UInt64

  static let none = BootIdentity(first: 0, second: 0)

  /// That of the machine as it runs now; nil where it does not tell.
  package static let current: BootIdentity? = {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe leyden_boot_identity(&bytes) else { return nil }
    return BootIdentity(
      first: bytes.number(at: 0, UInt64.self), second: bytes.number(at: 8, UInt64.self))
  }()

  /// Its sixteen bytes.
  package var bytes: [UInt8] {
    [first, second].flatMap { word in
      unsafe withUnsafeBytes(of: word.littleEndian) { unsafe Array($0) }
    }
  }
}
