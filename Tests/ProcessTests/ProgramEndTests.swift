import Foundation
import Leyden
import TestSupport
import XCTest

/// A program that uses the library comes to its end by itself.
final class ProgramEndTests: ProcessTestCase {
  func testAProgramEndsInEveryState() throws {
    let store = try store()
    let states = [
      "plain", "closed", "token", "let go", "cancelled task", "exit in a callback", "in a write",
      "nothing",
    ]
    for state in states {
      let program = try child("end", state)
      XCTAssertEqual(
        try program.wait(within: .seconds(10)), .exited(0), "\(state): \(program.errorOutput)")
      XCTAssertEqual(program.errorOutput, "", state)
    }

    XCTAssertEqual(store.objects(Card.self).map(\.identifier), states.dropLast())
    try store.write { try store.add(Card("next")) }
  }

  func testASignalInsideAWriteEndsTheProgramAndTheWrite() throws {
    let store = try store()
    let program = try child("end", "signal in a write")
    XCTAssertEqual(try program.requiredLine(), "writing")

    program.signal(SIGTERM)

    XCTAssertEqual(try program.wait(within: .seconds(10)), .killed(SIGTERM))
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["signal in a write"])
    try store.write { try store.add(Card("next")) }
  }

  func testMistakesStopTheProgramWithAMessageThatTellsTheRemedy() throws {
    let messages = [
      "set": ["Card.title", "outside a write", "store.write"],
      "unlisted": ["Unlisted", "objectTypes"],
      "position": ["Position 9", "1 rows"],
      "list": ["Pile.numbers", "outside a write", "store.write"],
      "insert into a set": ["Pile.words", "outside a write", "store.write"],
      "map": ["Pile.counts", "outside a write", "store.write"],
      "list position": ["Position 9", "0 elements", "Pile.numbers"],
      "position in a write": ["Position 5", "0 elements", "Pile.numbers"],
      "unmanaged position": ["Position 3", "0 elements", "unmanaged list"],
      "empty list": ["1 elements are to be removed", "there are 0"],
    ]
    for (mistake, parts) in messages {
      let program = try child("mistake", mistake)
      let ending = try program.wait(within: .seconds(30))
      let output = program.errorOutput
      guard case .killed = ending else { return XCTFail("\(mistake): \(ending), \(output)") }
      for part in parts { XCTAssertTrue(output.contains(part), "\(mistake): \(output)") }
    }
  }
}
