import Leyden
import LeydenTesting
import XCTest

/// A test with a store of folders, which hold embedded objects and values of any type.
class EmbeddedTestCase: StoreTestCase {
  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Folder.self, Sheet.self, Chest.self])
  }

  /// A store with one folder.
  func folder(_ fill: (Folder) -> Void = { _ in }) throws -> (Store, Folder) {
    let store = try store()
    let folder = Folder("a")
    fill(folder)
    return (store, try store.write { try store.add(folder) })
  }

  /// The folder as another store of the same file reads it.
  func folderElsewhere() throws -> Folder {
    try XCTUnwrap(try anotherStore().object(ofType: Folder.self, forPrimaryKey: "a"))
  }
}
