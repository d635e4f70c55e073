// SAFETY: the memory is allocated and freed with the instance; every slot is within it.
/// A record that is being made or changed, in memory of its own.
///
/// It has the shape of a stored record at every moment, so that it can be read like one. Replaced
/// heap values leave holes, which ``finish(layout:type:row:version:)`` squeezes out.
@safe
package final class MutableRecord {
  // Without dynamic checks of exclusive access, which take as long as storing a value: no code of
  // others runs while it is accessed (benchmark: insert).
  /// The record's first byte; moves only when ``revision`` rises.
  @exclusivity(unchecked)
  package private(set) var base: UnsafeMutableRawPointer
  /// Bytes in use, from ``base``.
  package private(set) var count: Int
  /// Rises with each change that moves ``base`` or makes the record longer.
  package private(set) var revision = 0
  /// Which slots hold bytes, in place or by offset; the others hold numbers.
  private let heapSlots: [Bool]
  private var capacity: Int
  private var hasHoles = false

  /// Makes a record whose slots are all null.
  ///
  /// - Parameter heapSlots: For each slot, whether its type is stored as bytes.
  package init(heapSlots: [Bool]) {
    self.heapSlots = heapSlots
    count = RecordFormat.slotsStart(slots: heapSlots.count) + heapSlots.count * 8
    capacity = count + 256
    unsafe base = .allocate(byteCount: capacity, alignment: 8)
    reset(layout: 0)
  }

  /// Makes all slots null, so that the memory serves the next record.
  ///
  /// - Parameter layout: The layout's number, for readers of the unfinished record.
  package func reset(layout: UInt16) {
    count = RecordFormat.slotsStart(slots: heapSlots.count) + heapSlots.count * 8
    hasHoles = false
    revision += 1
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    unsafe base.storeBytes(of: RecordFormat.version, as: UInt8.self)
    unsafe base.storeBytes(of: layout.littleEndian, toByteOffset: 2, as: UInt16.self)
    for slot in heapSlots.indices { markNull(slot, true) }
  }

  deinit { unsafe base.deallocate() }

  /// The number of slots.
  package var slots: Int { heapSlots.count }

  /// The offset of slot 0.
  package var slotsStart: Int { RecordFormat.slotsStart(slots: slots) }

  /// The record as it stands; valid until the next change.
  package var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base, count: count)
  }

  /// Makes a slot null.
  package func setNull(_ slot: Int) {
    store(0, in: slot)
    markNull(slot, true)
  }

  /// Puts a number into a slot.
  package func set(_ word: UInt64, in slot: Int) {
    store(word, in: slot)
    markNull(slot, false)
  }

  /// Puts bytes into a slot, or into the heap where they are more than seven.
  ///
  /// - Throws: ``StorageError/valueTooLarge(bytes:)`` where the record would exceed 2 GiB.
  package func set(_ value: UnsafeRawBufferPointer, in slot: Int) throws(StorageError) {
    guard value.count > RecordFormat.inlineCapacity else {
      var word = UInt64(0x80 | value.count) << 56
      for unsafe(position, byte) in unsafe value.enumerated() {
        word |= UInt64(byte) << UInt64(position * 8)
      }
      return set(word, in: slot)
    }
    guard value.count < Int(Int32.max) - count else { throw .valueTooLarge(bytes: value.count) }
    let offset = unsafe append(value)
    set(UInt64(offset) | UInt64(value.count) << 32, in: slot)
  }

  /// Replaces a slot's value by a reference to its chunks; a prefix is kept for comparisons.
  package func set(
    _ reference: LargeReference, prefix: UnsafeRawBufferPointer, in slot: Int
  ) {
    let encoded = unsafe reference.bytes(prefix: prefix)
    let offset = unsafe encoded.withUnsafeBytes { unsafe append($0) }
    set(UInt64(offset) | UInt64(RecordFormat.largeMark) << 32, in: slot)
  }

  /// Copies one slot of a stored record, with its null mark, value or reference.
  package func copy(_ source: RecordView, slot: Int, to target: Int) throws(StorageError) {
    if source.isNull(slot) {
      setNull(target)
    } else if !heapSlots[target] {
      set(source.word(slot), in: target)
    } else if let reference = source.largeReference(slot) {
      unsafe set(reference, prefix: source.largePrefix(slot), in: target)
    } else {
      unsafe try set(source.bytes(slot), in: target)
    }
  }

  /// The slots whose values lie in the heap, with their lengths, longest first.
  package var heapValues: [(slot: Int, count: Int)] {
    heapSlots.indices.compactMap { slot in
      guard let length = heapLength(slot), length != Int(RecordFormat.largeMark) else {
        return nil
      }
      return (slot: slot, count: length)
    }.sorted { $0.count > $1.count }
  }

  /// The record's length after its holes were squeezed out.
  package var compactCount: Int {
    if hasHoles { compact() }
    return count
  }

  /// Fills in the header and returns the bytes to store.
  ///
  /// - Returns: The record; valid until the next change.
  package func finish(
    layout: UInt16, type: UInt32, row: UInt64, version: UInt64
  ) -> UnsafeRawBufferPointer {
    if hasHoles { compact() }
    let large = heapSlots.indices.contains { heapLength($0) == Int(RecordFormat.largeMark) }
    let flags = large ? RecordFormat.hasLargeValues : 0
    unsafe base.storeBytes(of: flags, toByteOffset: 1, as: UInt8.self)
    unsafe base.storeBytes(of: layout.littleEndian, toByteOffset: 2, as: UInt16.self)
    unsafe base.storeBytes(of: version.littleEndian, toByteOffset: 8, as: UInt64.self)
    let sum = unsafe RecordView.sum(of: bytes, type: type, row: row)
    unsafe base.storeBytes(of: sum.littleEndian, toByteOffset: 4, as: UInt32.self)
    return unsafe bytes
  }

  /// Fills in the header of an embedded object's record and returns the bytes to store in its owner, whose
  /// checksum covers them.
  ///
  /// - Parameters:
  ///   - layout: The layout's number.
  ///   - number: What tells the embedded object from others.
  /// - Returns: The record; valid until the next change.
  package func finish(layout: UInt16, embedded number: UInt64) -> UnsafeRawBufferPointer {
    _ = unsafe finish(layout: layout, type: 0, row: 0, version: number)
    unsafe base.storeBytes(of: 0, toByteOffset: 4, as: UInt32.self)
    return unsafe bytes
  }

  /// The length field of a slot that points into the heap.
  private func heapLength(_ slot: Int) -> Int? {
    guard heapSlots[slot] else { return nil }
    let word = word(slot)
    let isInline = word >> 63 != 0 && word >> 32 != UInt64(RecordFormat.largeMark)
    return isInline || word == 0 ? nil : Int(word >> 32)
  }

  private func word(_ slot: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: base.loadUnaligned(fromByteOffset: slotsStart + slot * 8, as: UInt64.self))
  }

  private func store(_ word: UInt64, in slot: Int) {
    if heapLength(slot) != nil { hasHoles = true }
    unsafe base.storeBytes(
      of: word.littleEndian, toByteOffset: slotsStart + slot * 8, as: UInt64.self)
  }

  private func markNull(_ slot: Int, _ isNull: Bool) {
    let offset = RecordFormat.headerSize + slot >> 3
    let bit = UInt8(1) << UInt8(slot & 7)
    let byte = unsafe base.load(fromByteOffset: offset, as: UInt8.self)
    unsafe base.storeBytes(
      of: isNull ? byte | bit : byte & ~bit, toByteOffset: offset, as: UInt8.self)
  }

  private func append(_ value: UnsafeRawBufferPointer) -> Int {
    let offset = count
    if count + value.count > capacity {
      capacity = max(count + value.count, capacity * 2)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      unsafe larger.copyMemory(from: base, byteCount: count)
      unsafe base.deallocate()
      unsafe base = unsafe larger
    }
    if let source = value.baseAddress {
      unsafe (base + offset).copyMemory(from: source, byteCount: value.count)
    }
    count += value.count
    revision += 1
    return offset
  }

  /// Writes the heap again without the values that were replaced.
  private func compact() {
    let old = unsafe base
    let slotsEnd = slotsStart + slots * 8
    unsafe base = .allocate(byteCount: capacity, alignment: 8)
    unsafe base.copyMemory(from: old, byteCount: slotsEnd)
    count = slotsEnd
    for slot in heapSlots.indices {
      guard let length = heapLength(slot) else { continue }
      let size = length == Int(RecordFormat.largeMark) ? LargeReference.size : length
      let from = unsafe old + Int(word(slot) & 0xffff_ffff)
      unsafe (base + count).copyMemory(from: from, byteCount: size)
      let word = UInt64(count) | UInt64(length) << 32
      unsafe base.storeBytes(
        of: word.littleEndian, toByteOffset: slotsStart + slot * 8, as: UInt64.self)
      count += size
    }
    unsafe old.deallocate()
    hasHoles = false
    revision += 1
  }
}
