import Leyden
import LeydenTesting
import XCTest

/// Two programs with different models of one embedded type.
final class EmbeddedModelChangeTests: StoreTestCase {
  private final class OldBox: Object {
    override class var storedName: String { "Box" }
    @Persisted(primaryKey: true) var name: String
    @Persisted var lid: OldLid?
    @Persisted var lids: List<OldLid>
  }

  private final class OldLid: EmbeddedObject {
    override class var storedName: String { "Lid" }
    @Persisted var color = "grey"
  }

  private final class NewBox: Object {
    override class var storedName: String { "Box" }
    @Persisted(primaryKey: true) var name: String
    @Persisted var lid: NewLid?
    @Persisted var lids: List<NewLid>
  }

  private final class NewLid: EmbeddedObject {
    override class var storedName: String { "Lid" }
    @Persisted var weight = 5
    @Persisted var color = "grey"
    @Persisted var tags: List<String>
  }

  func testPropertiesThatAnotherProgramAddsAreKept() throws {
    let old = try temporaryDirectory().store(objectTypes: [OldBox.self])
    let oldBox = try old.write {
      let box = OldBox()
      box.name = "a"
      box.lid = OldLid()
      box.lids.append(OldLid())
      return try old.add(box)
    }
    let oldLid = try XCTUnwrap(oldBox.lid)

    // A newer program adds properties, and sets them.
    let new = try temporaryDirectory().store(objectTypes: [NewBox.self])
    let newBox = try XCTUnwrap(new.objects(NewBox.self).first)
    XCTAssertEqual(newBox.lid?.weight, 5)
    XCTAssertEqual(newBox.lids[0].tags.count, 0)
    try new.write {
      newBox.lid?.weight = 6
      newBox.lids[0].tags.append("x")
    }

    // The older one reads and writes the same records, and keeps what it does not know.
    XCTAssertEqual(oldLid.color, "grey")
    try old.write {
      oldLid.color = "red"
      oldBox.lids[0].color = "blue"
    }
    XCTAssertEqual(newBox.lid?.weight, 6)
    XCTAssertEqual(newBox.lid?.color, "red")
    XCTAssertEqual(newBox.lids[0].color, "blue")
    XCTAssertEqual(Array(newBox.lids[0].tags), ["x"])
    try old.write { oldBox.lid = OldLid() }
    XCTAssertEqual(newBox.lid?.weight, 5)
    XCTAssertNil(old.failure)
    XCTAssertNoThrow(try new.verify())
  }
}
