import Foundation
import Leyden
import LeydenTesting
import XCTest

private class Animal: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var legs = 4
}

private class Dog: Animal {
  @Persisted var breed: String?
  @Persisted(indexed: true) var age: Int8 = 1
  var isOld: Bool { age > 10 }
}

private final class Puppy: Dog {
  @Persisted var isTrained = true
  @Persisted var _tag = "t"

  required init() {
    super.init()
    // What an initialiser sets is the default of a new object and nothing for a stored one.
    if !isManaged { breed = "mixed" }
  }
}

private enum Clash {
  class Upper: Object { @Persisted private var secret = 1 }
  final class Lower: Upper { @Persisted private var secret = "2" }
}

final class InheritanceTests: XCTestCase {
  func testInheritedPropertiesAreStored() throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try directory.store(objectTypes: [Animal.self, Dog.self, Puppy.self])
      let puppy = Puppy()
      puppy.name = "Rex"
      puppy.legs = 3
      puppy.age = 2
      puppy._tag = "u"
      try store.write { try store.add(puppy) }

      XCTAssertEqual(puppy.name, "Rex")
      XCTAssertEqual(puppy.breed, "mixed")
      try store.write { puppy.breed = nil }
      store.close()
    }
    let store = try directory.store(objectTypes: [Animal.self, Dog.self, Puppy.self])

    let puppy = try XCTUnwrap(store.object(ofType: Puppy.self, forPrimaryKey: "Rex"))
    XCTAssertEqual(puppy.legs, 3)
    XCTAssertNil(puppy.breed)
    XCTAssertEqual(puppy.age, 2)
    XCTAssertTrue(puppy.isTrained)
    XCTAssertEqual(puppy._tag, "u")
    XCTAssertFalse(puppy.isOld)
  }

  func testEachClassIsATypeOfItsOwn() throws {
    let store = try TemporaryDirectory()
      .store(objectTypes: [Animal.self, Dog.self, Puppy.self])
    try store.write {
      for (type, name) in [(Animal.self, "x"), (Dog.self, "x"), (Puppy.self, "x")] {
        let animal = type.init()
        animal.name = name
        try store.add(animal)
      }
    }

    XCTAssertEqual(store.objects(Animal.self).count, 1)
    XCTAssertEqual(store.objects(Dog.self).count, 1)
    XCTAssertEqual(store.objects(Puppy.self).count, 1)
  }

  func testSchemaAndDescriptionNameInheritedPropertiesFirst() {
    let puppy = Puppy()
    puppy.name = "Rex"

    XCTAssertEqual(
      puppy.objectSchema.properties.map(\.name),
      ["name", "legs", "breed", "age", "isTrained", "_tag"])
    XCTAssertEqual(
      puppy.description,
      #"Puppy { name = "Rex"; legs = 4; breed = "mixed"; age = 1; isTrained = true; _tag = "t" }"#)
  }

  func testQueriesAndSortingByInheritedProperties() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Puppy.self])
    try store.write {
      for (number, name) in ["c", "a", "b"].enumerated() {
        let puppy = Puppy()
        puppy.name = name
        puppy.age = Int8(number)
        puppy.isTrained = number != 1
        try store.add(puppy)
      }
    }
    let puppies = store.objects(Puppy.self)

    XCTAssertEqual(puppies.sorted(by: \.name).map(\.name), ["a", "b", "c"])
    XCTAssertEqual(puppies.where { $0.age > 0 && $0.isTrained }.map(\.name), ["b"])
    XCTAssertEqual(puppies.where { $0.legs == 4 && $0.name < "b" }.map(\.name), ["a"])
  }

  func testTwoPropertiesOfOneNameAreRefused() throws {
    let directory = try TemporaryDirectory()

    XCTAssertThrowsError(try directory.store(objectTypes: [Clash.Lower.self])) { error in
      XCTAssertEqual(
        error as? StoreError,
        .unsupported("Lower.secret: a superclass has a property of the same name"))
    }
  }
}
