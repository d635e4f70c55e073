extension KeyEncoder {
  /// Appends a decimal number, ordered by value.
  ///
  /// The number is `mantissa` times ten to the power of `exponent`, negated where `isNegative`.
  /// Different ways to write a number (1.5, 1.50) give the same bytes.
  ///
  /// Sign byte, exponent to the base of one hundred, digits to that base, each one raised by one,
  /// and a zero byte; for a negative number all but the sign is complemented.
  package mutating func append(decimal mantissa: UInt128, exponent: Int, isNegative: Bool) {
    guard mantissa != 0 else {
      bytes.append(DecimalSign.zero)
      return
    }
    bytes.append(isNegative ? DecimalSign.negative : DecimalSign.positive)
    let start = bytes.count

    // Make the exponent even, so that the point lies between two digits to the base of one hundred.
    var rest = mantissa
    var power = exponent
    var digits: [UInt8] = []
    if power & 1 != 0 {
      // One factor of ten moves from the exponent to the lowest digit.
      digits.append(UInt8(truncatingIfNeeded: rest % 10) * 10)
      rest /= 10
      power -= 1
    }
    while rest > 0 {
      digits.append(UInt8(truncatingIfNeeded: rest % 100))
      rest /= 100
    }

    // The value is 0.d₁d₂d₃… times one hundred to this power; d₁ is not zero.
    while let last = digits.last, last == 0 { digits.removeLast() }
    append(UInt16(power / 2 + digits.count + DecimalSign.exponentBias))
    let significant = digits.drop { $0 == 0 }
    for digit in significant.reversed() { bytes.append(digit + 1) }
    bytes.append(0)
    if isNegative { complement(from: start) }
  }

  /// Appends the decimal that is not a number; it sorts last.
  package mutating func appendDecimalNotANumber() {
    bytes.append(DecimalSign.notANumber)
  }
}

/// The first byte of a decimal's key.
enum DecimalSign {
  static let negative: UInt8 = 0
  static let zero: UInt8 = 1
  static let positive: UInt8 = 2
  static let notANumber: UInt8 = 3

  /// Added to the exponent, so that it has no sign.
  static let exponentBias = 0x8000
}
