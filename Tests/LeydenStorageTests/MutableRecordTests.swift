@testable import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

final class MutableRecordTests: XCTestCase {
  private enum Value: Equatable {
    case null
    case word(UInt64)
    case bytes([UInt8])
    case large(LargeReference, prefix: [UInt8])
  }

  private func random(_ isHeap: Bool, _ generator: inout SeededGenerator) -> Value {
    let roll = Int.random(in: 0..<10, using: &generator)
    if roll == 0 { return .null }
    guard isHeap else {
      return .word(roll == 1 ? 0 : roll == 2 ? .max : .random(in: 0...(.max), using: &generator))
    }
    if roll == 1 {
      let reference = LargeReference(
        identifier: .random(in: 1...(.max), using: &generator),
        total: .random(in: 16...(.max), using: &generator),
        checksum: .random(in: 0...(.max), using: &generator))
      return .large(reference, prefix: (0..<16).map { UInt8($0) })
    }
    let count = [0, 1, 3, 6, 7, 8, 9, 64, 300, 5_000].randomElement(using: &generator) ?? 0
    let fill = UInt8.random(in: 0...255, using: &generator)
    return .bytes((0..<count).map { UInt8(truncatingIfNeeded: $0) ^ fill })
  }

  private func set(_ value: Value, in slot: Int, of record: MutableRecord) throws {
    switch value {
    case .null: record.setNull(slot)
    case .word(let word): record.set(word, in: slot)
    case .bytes(let bytes):
      unsafe try bytes.withUnsafeBytes { unsafe try record.set($0, in: slot) }
    case .large(let reference, let prefix):
      unsafe prefix.withUnsafeBytes { unsafe record.set(reference, prefix: $0, in: slot) }
    }
  }

  private func value(_ slot: Int, _ isHeap: Bool, of view: RecordView) -> Value {
    if view.isNull(slot) { return .null }
    guard isHeap else { return .word(view.word(slot)) }
    if let reference = view.largeReference(slot) {
      return unsafe .large(reference, prefix: Array(view.largePrefix(slot)))
    }
    return unsafe .bytes(Array(view.bytes(slot)))
  }

  func testWhatIsSetIsReadAtEveryMoment() throws {
    for seed in 1...UInt64(testScale(40)) {
      var generator = SeededGenerator(seed: seed)
      let count = [0, 1, 7, 8, 9, 63, 64, 65, 130].randomElement(using: &generator) ?? 1
      let heapSlots = (0..<count).map { _ in Bool.random(using: &generator) }
      let record = MutableRecord(heapSlots: heapSlots)
      var expected = [Value](repeating: .null, count: count)

      for step in 0..<(count == 0 ? 1 : 200) {
        if count > 0 {
          let slot = Int.random(in: 0..<count, using: &generator)
          let new = random(heapSlots[slot], &generator)
          expected[slot] = new
          try set(new, in: slot, of: record)
        }
        if Int.random(in: 0..<10, using: &generator) == 0 { _ = record.compactCount }
        if step % 20 == 0 {
          let bytes = unsafe Array(record.finish(layout: 3, type: 9, row: 77, version: 5))
          unsafe try bytes.withUnsafeBytes { bytes in
            unsafe try RecordView.verify(bytes, type: 9, row: 77)
            XCTAssertThrowsError(unsafe try RecordView.verify(bytes, type: 9, row: 78))
            XCTAssertThrowsError(unsafe try RecordView.verify(bytes, type: 8, row: 77))
            XCTAssertEqual(unsafe try RecordView.layout(of: bytes), 3)
            XCTAssertEqual(unsafe try RecordView(bytes, slots: count).version, 5)
          }
        }
        let view = unsafe try RecordView(record.bytes, slots: count)
        for slot in 0..<count {
          XCTAssertEqual(
            value(slot, heapSlots[slot], of: view), expected[slot], "seed \(seed), step \(step)")
        }
      }

      let copy = MutableRecord(heapSlots: heapSlots)
      let view = unsafe try RecordView(record.bytes, slots: count)
      for slot in 0..<count { try copy.copy(view, slot: slot, to: slot) }
      let copied = unsafe try RecordView(copy.bytes, slots: count)
      for slot in 0..<count {
        XCTAssertEqual(value(slot, heapSlots[slot], of: copied), expected[slot], "seed \(seed)")
      }
      XCTAssertEqual(copy.compactCount, record.compactCount, "seed \(seed)")
    }
  }

  func testAChangedByteIsNoticed() throws {
    let record = MutableRecord(heapSlots: [true, false, true])
    try set(.bytes(Array("some text that is long".utf8)), in: 0, of: record)
    try set(.word(17), in: 1, of: record)
    let bytes = unsafe Array(record.finish(layout: 1, type: 2, row: 3, version: 4))

    for position in bytes.indices where !(0..<4).contains(position) {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[position] ^= 1 << UInt8(bit)
        XCTAssertThrowsError(
          unsafe try damaged.withUnsafeBytes { damaged in
            unsafe try RecordView.verify(damaged, type: 2, row: 3)
          })
      }
    }
  }

  func testRandomBytesAreReadWithoutACrash() throws {
    var generator = SeededGenerator(seed: 71)
    for _ in 0..<testScale(20_000) {
      let slots = Int.random(in: 0..<20, using: &generator)
      var bytes = (0..<Int.random(in: 0..<400, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if !bytes.isEmpty { bytes[0] = RecordFormat.version }
      unsafe bytes.withUnsafeBytes { bytes in
        _ = unsafe try? RecordView.layout(of: bytes)
        guard let view = unsafe try? RecordView(bytes, slots: slots) else { return }
        for slot in 0..<slots {
          _ = view.isNull(slot)
          _ = view.word(slot)
          let count = unsafe view.bytes(slot).count
          XCTAssertLessThanOrEqual(count, bytes.count)
          _ = view.largeReference(slot)
          let prefix = unsafe view.largePrefix(slot).count
          XCTAssertLessThanOrEqual(prefix, 16)
        }
      }
    }
  }
}
