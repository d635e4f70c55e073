import LeydenStorage
import LeydenTesting

/// Random bytes of a random length; zero and FF come often, because encodings treat them specially.
func randomBytes(_ length: ClosedRange<Int>, using generator: inout SeededGenerator) -> [UInt8] {
  (0..<Int.random(in: length, using: &generator)).map { _ in
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return 0
    case 1: return [1, 2, 0xFE, 0xFF][Int.random(in: 0..<4, using: &generator)]
    default: return UInt8.random(in: 0...255, using: &generator)
    }
  }
}

/// Random text, half of the time of scalars that combine, decompose or reorder.
func randomText(_ length: ClosedRange<Int>, using generator: inout SeededGenerator) -> String {
  var scalars = String.UnicodeScalarView()
  for _ in 0..<Int.random(in: length, using: &generator) {
    if let scalar = Unicode.Scalar(randomScalarValue(using: &generator)) { scalars.append(scalar) }
  }
  return String(scalars)
}

private func randomScalarValue(using generator: inout SeededGenerator) -> UInt32 {
  let ranges: [ClosedRange<UInt32>] = [
    0x00...0x7F, 0x61...0x65, 0xC0...0x17F, 0x300...0x345, 0x370...0x3FF, 0x590...0x6FF,
    0x900...0xDFF, 0xF40...0xFBC, 0x1100...0x11FF, 0x1E00...0x1FFF, 0x2000...0x2BFF,
    0x3040...0x30FF, 0xAC00...0xAC70, 0xD780...0xD7A3, 0xF900...0xFB4F, 0x11080...0x115FF,
    0x16100...0x16E00, 0x1D150...0x1D1FF, 0x1E000...0x1E950, 0x1F300...0x1F650,
    0x2F800...0x2FA1D, 0x0...0x10FFFF,
  ]
  let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
  return UInt32.random(in: range, using: &generator)
}

extension KeyEncoder {
  /// Appends bytes of any length from an array.
  mutating func append(array bytes: [UInt8], terminated: Bool = true) {
    unsafe bytes.withUnsafeBytes { unsafe append(data: $0, terminated: terminated) }
  }
}

/// The order that LMDB gives to keys: byte by byte, the shorter first.
func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
