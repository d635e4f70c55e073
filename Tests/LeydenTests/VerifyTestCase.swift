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
}
