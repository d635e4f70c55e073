package import Foundation

/// A decimal number in the one form in which each value is stored: equal numbers have equal parts.
///
/// Docs/FileFormat.md, "Decimal, 20 bytes", draws it. Foundation's `Decimal` may hold one number in
/// several ways (1.5, 1.50), and hides its digits.
package struct StoredDecimal: Hashable, Sendable {
  /// The digits: not divisible by ten, except that zero is zero.
  package let mantissa: UInt128
  /// The power of ten that the digits are multiplied by.
  package let exponent: Int16
  /// Whether it is positive, negative or not a number.
  package let sign: Sign

  /// The sign, as the file spells it.
  package enum Sign: UInt8, Sendable {
    case positive = 0
    case negative = 1
    case notANumber = 2
  }

  /// The number of bytes in a record.
  package static let byteCount = 20

  init(mantissa: UInt128, exponent: Int16, sign: Sign) {
    self.mantissa = mantissa
    self.exponent = exponent
    self.sign = sign
  }

  /// Finds the stored form of a number.
  package init(_ decimal: Decimal) {
    guard !decimal.isNaN else {
      self.init(mantissa: 0, exponent: 0, sign: .notANumber)
      return
    }
    // The digits have no public way out but this; 39 of them fit.
    let digits = decimal.significand.magnitude.description.utf8
    let significant = digits.reversed().drop { $0 == UInt8(ascii: "0") }.reversed()
    let mantissa = significant.reduce(0 as UInt128) {
      $0 &* 10 &+ UInt128($1 &- UInt8(ascii: "0"))
    }
    guard mantissa != 0 else {
      self.init(mantissa: 0, exponent: 0, sign: .positive)
      return
    }
    self.init(
      mantissa: mantissa,
      exponent: Int16(decimal.exponent + decimal.significand.exponent)
        + Int16(digits.count - significant.count),
      sign: decimal.sign == .minus ? .negative : .positive)
  }

  /// The number as Foundation knows it.
  package var decimal: Decimal {
    guard sign != .notANumber else { return .nan }
    // Foundation's own limit: what is above it is among the digits.
    let limit = 127
    guard exponent <= limit else {
      let digits = String(mantissa) + String(repeating: "0", count: Int(exponent) - limit)
      let magnitude = Decimal(string: "\(digits)e\(limit)") ?? .nan
      return sign == .negative ? -magnitude : magnitude
    }
    let low = Decimal(UInt64(truncatingIfNeeded: mantissa))
    let high = Decimal(UInt64(truncatingIfNeeded: mantissa >> 64))
    let digits = high == 0 ? low : high * (Decimal(UInt64.max) + 1) + low
    return Decimal(
      sign: sign == .negative ? .minus : .plus, exponent: Int(exponent), significand: digits)
  }
}

extension StoredDecimal {
  /// Reads a record's bytes; `nil` where they are none that ``bytes`` gives.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount, let sign = unsafe Sign(rawValue: bytes[18]) else {
      return nil
    }
    unsafe self.init(
      mantissa: UInt128(littleEndian: bytes.loadUnaligned(as: UInt128.self)),
      exponent: Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: Int16.self)),
      sign: sign)
  }

  /// The bytes in a record.
  package var bytes: [UInt8] {
    unsafe withUnsafeBytes(of: mantissa.littleEndian) { unsafe Array($0) }
      + withUnsafeBytes(of: exponent.littleEndian) { unsafe Array($0) } + [sign.rawValue, 0]
  }
}

extension StoredDecimal: Comparable {
  /// Whether one number is less than the other; what is not a number is in no order.
  package static func < (left: StoredDecimal, right: StoredDecimal) -> Bool {
    switch (left.sign, right.sign) {
    case (.notANumber, _), (_, .notANumber): false
    case (.positive, .positive): left.isSmaller(than: right)
    case (.negative, .negative): right.isSmaller(than: left)
    case (.negative, .positive): true
    case (.positive, .negative): false
    }
  }

  // The standard library takes what is not less for equal or greater.
  /// Whether one number is less than the other or equal to it.
  package static func <= (left: StoredDecimal, right: StoredDecimal) -> Bool {
    left < right || left == right && left.sign != .notANumber
  }

  /// Whether one number is greater than the other or equal to it.
  package static func >= (left: StoredDecimal, right: StoredDecimal) -> Bool { right <= left }

  /// Whether the magnitude is smaller.
  private func isSmaller(than other: StoredDecimal) -> Bool {
    if mantissa == 0 || other.mantissa == 0 { return mantissa < other.mantissa }
    let digits = (Self.digitCount(mantissa), Self.digitCount(other.mantissa))
    let orders = (Int(exponent) + digits.0, Int(other.exponent) + digits.1)
    if orders.0 != orders.1 { return orders.0 < orders.1 }
    // Both are brought to the same number of digits; too many for the type is more than the other.
    let (mine, mineIsMore) = Self.scale(mantissa, by: digits.1 - digits.0)
    let (others, othersIsMore) = Self.scale(other.mantissa, by: digits.0 - digits.1)
    return othersIsMore || !mineIsMore && mine < others
  }

  private static func digitCount(_ value: UInt128) -> Int {
    var count = 0
    var rest = value
    while rest > 0 {
      rest /= 10
      count += 1
    }
    return count
  }

  private static func scale(_ value: UInt128, by digits: Int) -> (UInt128, overflow: Bool) {
    var value = value
    for _ in 0..<max(digits, 0) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      if overflow { return (value, true) }
      value = product
    }
    return (value, false)
  }
}
