/// Where decimal numbers lie among binary ones, exactly.
enum DecimalOrder {
  /// The greatest binary number that is not above a decimal one, and whether both are the same.
  static func binary(notAbove decimal: StoredDecimal) -> (number: Double, isExact: Bool) {
    // Rounded to the nearest one, which is that number or the next one.
    let nearest = Double("\(decimal.mantissa)e\(decimal.exponent)") ?? 0
    let order = compare(nearest, with: decimal)
    if order == 0 { return (decimal.sign == .negative ? -nearest : nearest, true) }
    if decimal.sign == .negative { return (-(order > 0 ? nearest : nearest.nextUp), false) }
    return (order > 0 ? nearest.nextDown : nearest, false)
  }

  /// Compares a binary number that is not negative with a decimal's magnitude.
  ///
  /// - Returns: A negative number where the binary one is less, 0 where both are the same.
  private static func compare(_ number: Double, with decimal: StoredDecimal) -> Int {
    guard number.isFinite else { return 1 }
    // number × 2^-exponent = decimal × 2^-exponent, as whole numbers without factors of ten.
    let isNormal = number.isNormal
    let bits = number.significandBitPattern | (isNormal ? 1 << 52 : 0)
    var left = WholeNumber(UInt128(bits))
    var right = WholeNumber(decimal.mantissa)
    let exponent = Int(decimal.exponent)
    if exponent < 0 { left.multiplyByFive(-exponent) } else { right.multiplyByFive(exponent) }
    let shift = (isNormal ? Int(number.exponent) - 52 : -1_074) - exponent
    if shift > 0 { left.shift(by: shift) } else { right.shift(by: -shift) }
    return left.compare(with: right)
  }
}

/// A whole number of any size that is not negative.
private struct WholeNumber {
  /// The lowest first; the last one is not 0.
  private var limbs: [UInt32] = []

  init(_ number: UInt128) {
    var rest = number
    while rest > 0 {
      limbs.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
  }

  mutating func multiplyByFive(_ times: Int) {
    // The greatest power of five in 32 bits is the 13th.
    for _ in 0..<times / 13 { multiply(by: 1_220_703_125) }
    for _ in 0..<times % 13 { multiply(by: 5) }
  }

  mutating func shift(by bits: Int) {
    guard !limbs.isEmpty else { return }
    multiply(by: 1 << UInt32(bits % 32))
    limbs.insert(contentsOf: repeatElement(0, count: bits / 32), at: 0)
  }

  private mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for position in limbs.indices {
      let product = UInt64(limbs[position]) * UInt64(factor) + carry
      limbs[position] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry > 0 { limbs.append(UInt32(carry)) }
  }

  func compare(with other: WholeNumber) -> Int {
    if limbs.count != other.limbs.count { return limbs.count - other.limbs.count }
    for position in limbs.indices.reversed() where limbs[position] != other.limbs[position] {
      return limbs[position] < other.limbs[position] ? -1 : 1
    }
    return 0
  }
}
