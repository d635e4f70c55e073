import Leyden
import LeydenTesting
import XCTest

/// A test with a store of objects that lead to each other.
class GraphTestCase: StoreTestCase {
  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Sheet.self, Person.self])
  }
}
