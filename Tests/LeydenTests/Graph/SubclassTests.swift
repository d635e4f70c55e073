import Leyden
import LeydenTesting
import XCTest

final class SubclassTests: StoreTestCase {
  private class Animal: Object {
    @Persisted var name = ""
  }

  private final class Dog: Animal {
    @Persisted var isLoud = false
  }

  private final class Zoo: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var first: Animal?
    @Persisted var others: List<Animal>
  }

  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Zoo.self, Dog.self])
  }

  func testAnObjectOfASubclassIsRefusedBeforeAnythingIsWritten() throws {
    let store = try store()
    for isInList in [false, true] {
      let zoo = Zoo()
      zoo.name = "zoo"
      if isInList {
        zoo.others.append(contentsOf: [Animal(), Dog()])
      } else {
        zoo.first = Dog()
      }
      try store.write {
        assertThrows(
          .invalidValue("\(isInList ? "others" : "first") leads to Animal and not to Dog")
        ) { try store.add(zoo) }
      }
      XCTAssertFalse(zoo.isManaged)
    }
    XCTAssertEqual(store.objects(Zoo.self).count, 0)
    XCTAssertEqual(store.objects(Animal.self).count, 0)
    XCTAssertEqual(store.objects(Dog.self).count, 0)
    try store.verify()
  }

  func testInheritedPropertiesLeadToo() throws {
    let store = try store()
    let zoo = Zoo()
    zoo.name = "zoo"
    zoo.others.append(contentsOf: [Animal(), Animal()])
    try store.write { try store.add(zoo) }
    XCTAssertEqual(zoo.others.count, 2)
    try store.write { try store.delete(zoo.others) }
    XCTAssertEqual(zoo.others.count, 0)
  }
}
