/// Random numbers that are the same in every run with the same seed.
///
///     var generator = SeededGenerator(seed: 7)
///     let roll = Int.random(in: 1...6, using: &generator)
///
/// A test names the seed in its failure message, so that anybody can run the same case again. The
/// sequence of a seed never changes from one version to the next, and is the same on every
/// platform. Not for secrets.
///
/// The generator is xoshiro256** (Blackman and Vigna), its state filled by SplitMix64.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// What the generator was made with.
  public let seed: UInt64

  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// Makes the generator of a seed; every seed gives a good one, zero too.
  public init(seed: UInt64) {
    self.seed = seed
    var source = seed
    func next() -> UInt64 {
      source &+= 0x9E37_79B9_7F4A_7C15
      var mixed = source
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
    state = (next(), next(), next(), next())
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    let result = Self.rotate(state.1 &* 5, by: 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = Self.rotate(state.3, by: 45)
    return result
  }

  private static func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }
}
