import Foundation
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

@testable import Leyden

final class SessionTests: StoreTestCase {
  func testNestedPinsKeepOneVersion() throws {
    let store = try store()
    let other = try anotherStore()
    let session = store.session
    let first = try session.version()

    try session.pin()
    try session.pin()
    try other.write { try other.add(Item(1)) }
    XCTAssertEqual(try session.version(), first)
    session.unpin()
    XCTAssertEqual(try session.version(), first)
    session.unpin()

    XCTAssertEqual(try session.version(), first + 1)
  }

  func testAnIdleStoreHoldsNoVersion() throws {
    let store = try store()
    try store.write { for value in 0..<100 { try store.add(Item(value)) } }
    let items = store.objects(Item.self).sorted(by: \.value)
    let recorder = ChangeRecorder(items) { $0.value }
    let item = try XCTUnwrap(items.first)

    // A thread that posts notifications reads for as long as it is kept from going on.
    try store.session.core.announcer.whileNotReading {
      for _ in 0..<testScale(200) { try store.write { item.value += 1_000 } }
      let size = try store.session.core.environment.fileSize
      for _ in 0..<testScale(1_000) {
        try store.write { item.value += 1 }
        _ = items.count
      }
      XCTAssertLessThan(try store.session.core.environment.fileSize, size * 2)
    }

    XCTAssertEqual(recorder.violations, [])
  }

  func testAReadThatFailsIsNotedAndThrownLater() throws {
    let store = try store()
    let messages = LogMessages()
    let card = try store.write { try store.add(Card("a", title: "title")) }
    let good = try store.write { try store.add(Card("b", title: "good")) }
    let row = try XCTUnwrap(card.access?.identity?.row)
    let type = try XCTUnwrap(store.session.binding(of: Card.self)?.stored)
    let write = try store.session.core.environment.beginWrite()
    let table = try write.makeTable(named: type.tableName)
    var bytes = unsafe Array(try XCTUnwrap(write.value(forRow: row, in: table)))
    bytes[bytes.count - 1] ^= 1
    unsafe try bytes.withUnsafeBytes { unsafe try write.put($0, forRow: row, in: table) }
    try write.commit()

    XCTAssertEqual(card.title, "")
    guard case .corrupted? = store.failure else { return XCTFail("\(messages.all)") }
    XCTAssertThrowsError(try store.write { good.title = "x" })
    XCTAssertThrowsError(try store.read {})
    XCTAssertEqual(messages.all.count, 1, "\(messages.all)")
    let other = try anotherStore()
    XCTAssertEqual(other.object(ofType: Card.self, forPrimaryKey: "b")?.title, "good")
    XCTAssertThrowsError(
      try other.read { _ = other.object(ofType: Card.self, forPrimaryKey: "a")?.title })
  }

  func testLargeValuesAreReadAndReplaced() throws {
    let store = try store()
    let counts = [0, 64, 65, 1_900, 1_901, 4_060, 4_061, 100_000, 20_000_000]
    let card = try store.write { try store.add(Card("a")) }

    for count in counts + counts.reversed() {
      let picture =
        Data((0..<min(count, 300)).map { UInt8($0 & 0xff) })
        + Data(repeating: 3, count: max(0, count - 300))
      try store.write {
        card.picture = picture
        card.title = String(repeating: "t", count: count / 100)
        XCTAssertEqual(card.picture.count, count)
      }
      XCTAssertTrue(card.picture == picture, "\(count)")
      XCTAssertEqual(store.objects(Card.self).where { $0.picture == picture }.count, 1, "\(count)")
      let chunks = try store.rowsOfLargeValues()
      XCTAssertLessThanOrEqual(chunks, count / 4_060 + count / 406_000 + 2, "\(count)")
      let version = store.version
      try store.write { card.picture = picture }
      XCTAssertEqual(store.version, version, "\(count)")
    }

    try store.write { try store.delete(card) }
    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
  }

  func testValuesWithOneChecksumAreToldApart() throws {
    // The checksum's polynomial, bit by bit: adding it anywhere leaves the checksum as it is.
    let store = try store()
    let first = [UInt8](repeating: 5, count: 9_000)
    var second = first
    for (position, byte) in Self.polynomial.enumerated() { second[100 + position] ^= byte }
    XCTAssertEqual(
      unsafe first.withUnsafeBytes { unsafe checksum(of: $0) },
      unsafe second.withUnsafeBytes { unsafe checksum(of: $0) })
    let card = Card("a")
    card.picture = Data(first)
    try store.write { try store.add(card) }
    let recorder = ChangeRecorder(store.objects(Card.self), reading: \.picture)

    try store.write { card.picture = Data(second) }

    XCTAssertTrue(card.picture == Data(second))
    XCTAssertEqual(recorder.changes, ["-[] +[] ~[0]"])
  }

  /// CRC-32C's polynomial with its highest term, as the bits of bytes, lowest first.
  private static var polynomial: [UInt8] {
    let coefficients: UInt64 = 1 << 32 | 0x1edc_6f41
    var bytes = [UInt8](repeating: 0, count: 5)
    for position in 0...32 where coefficients >> UInt64(32 - position) & 1 != 0 {
      bytes[position / 8] |= 1 << UInt8(position % 8)
    }
    return bytes
  }

  func testARowWhoseNumberIsTriedAgainKeepsItsIndexEntries() throws {
    let store = try temporaryDirectory().store(objectTypes: [NewerProgram.Contact.self])
    func contact(_ identifier: Int) -> NewerProgram.Contact {
      let contact = NewerProgram.Contact()
      contact.identifier = identifier
      contact.name = "same"
      return contact
    }
    try store.write { for number in 0..<10 { try store.add(contact(number)) } }
    let signal = try store.session.core.environment.signal
    let mark = try XCTUnwrap(signal.rowMark)
    signal.setRowMark(RowMark(next: 1, block: mark.block))

    // With the values of the row whose number it is given first.
    try store.write { try store.add(contact(10)) }

    let contacts = store.objects(NewerProgram.Contact.self)
    XCTAssertEqual(contacts.where { $0.rating == 1.5 }.map(\.identifier), Array(0...10))
    let found = contacts.where { $0.name.equals("SAME", options: .caseInsensitive) }
    XCTAssertEqual(found.map(\.identifier), Array(0...10))
  }

  func testARowNumberThatIsTakenIsNotGivenAndNothingIsLost() throws {
    let store = try store()
    let picture = Data(repeating: 4, count: 10_000)
    let old = try store.write {
      try (0..<10).map { number in
        let card = Card("\(number)", rank: number)
        card.picture = picture
        return try store.add(card)
      }
    }
    let signal = try store.session.core.environment.signal
    let mark = try XCTUnwrap(signal.rowMark)
    // As after somebody put back an older file of the bell.
    signal.setRowMark(RowMark(next: 1, block: mark.block))

    let new = try store.write {
      old[0].picture = picture + [1]
      old[1].title = String(repeating: "t", count: 3_000)
      let card = Card("new")
      card.picture = picture + [2]
      return try store.add(card)
    }

    XCTAssertTrue(new.picture == picture + [2])
    XCTAssertTrue(old[0].picture == picture + [1])
    XCTAssertEqual(old.map(\.rank), Array(0..<10))
    for card in old.dropFirst() { XCTAssertTrue(card.picture == picture) }
    XCTAssertEqual(Set((old + [new]).compactMap { $0.access?.identity?.row }).count, 11)
    XCTAssertNil(store.failure)
    try store.write { try store.deleteAll() }
    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
  }
}
