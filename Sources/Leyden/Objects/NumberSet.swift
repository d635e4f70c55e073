/// A set of row numbers that are dense in places: half a byte for each, and 32 where each stands
/// alone.
struct NumberSet {
  private var words: [UInt64: UInt64] = [:]

  /// Adds a number; false where it is in the set already.
  mutating func insert(_ number: UInt64) -> Bool {
    let bit: UInt64 = 1 << (number % 64)
    let word = words[number / 64, default: 0]
    guard word & bit == 0 else { return false }
    words[number / 64] = word | bit
    return true
  }

  /// Whether a number is in the set.
  func contains(_ number: UInt64) -> Bool {
    words[number / 64, default: 0] & 1 << (number % 64) != 0
  }
}
