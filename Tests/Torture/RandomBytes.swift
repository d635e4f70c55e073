import LeydenTesting

/// Random bytes, and bytes that were right before they were changed: the same ones for the same seed.
struct RandomBytes {
  private var generator: SeededGenerator
  /// Numbers at which an addition, a multiplication or a conversion may go wrong.
  private static let edges: [UInt64] = [
    0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff,
    0x0fff_ffff_ffff_ffff, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, .max - 4_096, .max - 1,
    .max,
  ]

  init(seed: UInt64, case number: Int) {
    generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// A number from 0 on.
  mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  /// A number of any size: one of few bits is as likely as one of many.
  mutating func number() -> UInt64 {
    number(below: 3) == 0 ? pick(Self.edges) : generator.next() >> UInt64(number(below: 64))
  }

  /// True one time of so many.
  mutating func isOnce(in count: Int) -> Bool { number(below: count) == 0 }

  /// One of some values.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }

  /// Bytes of any length below a limit; zero and FF come often.
  mutating func bytes(below limit: Int) -> [UInt8] {
    (0..<number(below: limit)).map { _ in
      isOnce(in: 4) ? pick([0, 1, 0xfe, 0xff]) : UInt8(number(below: 256))
    }
  }

  /// A text of all kinds of scalars.
  mutating func text(below limit: Int) -> String {
    let ends: [UInt32] = [0x7f, 0x24f, 0x2fff, 0x1_ffff, 0x10_ffff]
    var scalars = String.UnicodeScalarView()
    for _ in 0..<number(below: limit) {
      if let scalar = Unicode.Scalar(UInt32(number(below: Int(pick(ends))))) {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// Bytes with one to four changes.
  mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
    if isOnce(in: 12) { return self.bytes(below: 2 * bytes.count + 16) }
    var bytes = bytes
    for _ in 0...number(below: 4) { change(&bytes) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let start = number(below: bytes.count + 1)
    let range = start..<min(bytes.count, start + number(below: 12) + 1)
    switch number(below: 8) {
    case 0, 1: if start < bytes.count { bytes[start] ^= 1 << UInt8(number(below: 8)) }
    case 2: if start < bytes.count { bytes[start] = UInt8(number(below: 256)) }
    case 3: bytes.removeSubrange(range)
    case 4: bytes.insert(contentsOf: bytes[range], at: start)
    case 5: bytes.removeSubrange(start...)
    case 6: bytes.insert(contentsOf: self.bytes(below: 12), at: start)
    default: overwrite(&bytes, at: isOnce(in: 2) ? start & ~7 : start)
    }
  }

  /// Puts a number in place of what is there, of any width and in any byte order.
  private mutating func overwrite(_ bytes: inout [UInt8], at start: Int) {
    let value = pick(Self.edges)
    let width = pick([1, 2, 4, 8])
    let isBigEndian = isOnce(in: 3)
    for place in 0..<width where start + place < bytes.count {
      let shift = UInt64(8 * (isBigEndian ? width - 1 - place : place))
      bytes[start + place] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }
}
