/// The number of a commit: rises by one with each write, in any process, that changed something.
public struct StoreVersion: Comparable, Sendable, Hashable {
  /// The number; 0 before the first commit.
  package let number: UInt64

  /// Names a version.
  package init(number: UInt64) { self.number = number }

  /// Whether one version is older than the other.
  public static func < (left: StoreVersion, right: StoreVersion) -> Bool {
    left.number < right.number
  }
}

extension StoreVersion: CustomStringConvertible {
  /// The number.
  public var description: String { "\(number)" }
}
