import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// An older and a newer program on one store.
final class TwoProgramsTests: ProcessTestCase {
  private typealias Contact = NewerProgram.Contact

  func testProgramsOfTwoModelsTakeTurnsAndLoseNothing() throws {
    let turns = testScale(100)
    var generations: [UInt64] = []

    for number in 0..<turns {
      let program = number % 2 == 0 ? "older" : "newer"
      let child = try child("take-turn", program, "\(number)")
      XCTAssertEqual(try child.wait(), .exited(0), "turn \(number): \(child.errorOutput)")
      let reader = try temporaryDirectory().store(objectTypes: [OlderProgram.Contact.self])
      generations.append(reader.session.core.catalog.generation)
      reader.close()
    }

    // The first newer turn adds properties and indexes; after that nothing is made again.
    XCTAssertEqual(Set(generations[1...]).count, 1)
    let store = try temporaryDirectory().store(objectTypes: [Contact.self])
    let contacts = store.objects(Contact.self)
    XCTAssertEqual(contacts.map(\.identifier), Array(0..<turns))
    for contact in contacts {
      let number = contact.identifier
      let isNewer = number % 2 == 1
      XCTAssertEqual(contact.name, "\(isNewer ? "newer" : "older") \(number)")
      XCTAssertEqual(contact.visits, (number..<turns).filter { $0 % 2 == 0 }.count)
      XCTAssertEqual(contact.email, "\(number)@example.org")
      let raises = (number..<turns).filter { $0 % 2 == 1 }.count
      XCTAssertEqual(contact.rating, 1.5 + 0.5 * Double(raises))
      XCTAssertEqual(
        contact.history, isNewer ? String(repeating: "\(number) ", count: 1_000) : "new")
      XCTAssertEqual(contacts.where { $0.name == contact.name }.map(\.identifier), [number])
      let shouted = contact.name.uppercased()
      let found = contacts.where { $0.name.equals(shouted, options: .caseInsensitive) }
      XCTAssertEqual(found.map(\.identifier), [number])
      XCTAssertTrue(found.explain().contains("ignoring case"), found.explain())
      XCTAssertEqual(contacts.where { $0.email == contact.email }.map(\.identifier), [number])
    }
    XCTAssertEqual(
      contacts.sorted(by: \.rating).map(\.rating), contacts.map(\.rating).sorted())
  }
}
