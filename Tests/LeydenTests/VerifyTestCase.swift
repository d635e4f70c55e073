import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// A test with stores whose bytes are changed behind the library's back.
class VerifyTestCase: XCTestCase {
  private(set) var directory: TemporaryDirectory?
  typealias Kind = VerificationFinding.Kind

  override func tearDown() { directory = nil }

  /// A store of specimens and items, in which specimens were added, changed and deleted.
  func makeStore() throws -> Store {
    let made = try TemporaryDirectory()
    directory = made
    let store = try made.store(objectTypes: [Specimen.self, Item.self])
    try Specimen.fill(store)
    return store
  }

  /// The kinds of what is found after a change behind the library's back.
  func kinds(
    _ store: Store, changing change: (WriteTransaction) throws -> Void
  ) throws -> Set<Kind> {
    try store.change(change)
    return Set(try store.verificationReport().findings.map(\.kind))
  }

  /// A store of ships, crates and ports, which have everything that leads to others or holds many values.
  func makeShips() throws -> Store {
    let made = try TemporaryDirectory()
    directory = made
    let store = try made.store(objectTypes: Ship.types)
    try Ship.fill(store)
    return store
  }

  /// What is found after the record of a ship was changed and given its checksum again.
  func kinds(
    ofShip number: Int, changing change: (inout [UInt8], _ slot: (String) -> Int) -> Void
  ) throws -> Set<Kind> {
    let store = try makeShips()
    let type = try store.type(named: "Ship")
    let layout = try XCTUnwrap(type.layouts[1])
    let ship = store.object(ofType: Ship.self, forPrimaryKey: number)
    let row = try XCTUnwrap(ship?.access?.identity?.row)
    return try kinds(store) { write in
      try write.change(key: keyBytes(row), in: write.makeTable(named: type.tableName)) { record in
        change(&record) { name in
          24 + (layout.firstIndex { $0 == type.property(named: name)?.id } ?? 0) * 8
        }
        seal(&record, type: type.id, row: row)
      }
    }
  }
}
