import Foundation
import Leyden
import LeydenTesting

/// An object that leads to others in every way.
final class Trunk: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var rank: Int = 0
  @Persisted var note: String?
  @Persisted var isOpen: Bool = false
  @Persisted var owner: Porter?
  @Persisted var inside: Trunk?
  @Persisted var address: Spot?
  @Persisted var spots: List<Spot>
  @Persisted var numbers: List<Int>
  @Persisted var weights: List<Double?>
  @Persisted var words: List<String>
  @Persisted var items: List<Porter>
  @Persisted var tags: MutableSet<String>
  @Persisted var porters: MutableSet<Porter>
  @Persisted var counts: Map<String, Int>
  @Persisted var marks: Map<String, Porter?>
  @Persisted var anything: AnyValue
  @Persisted(originProperty: "inside") var contents: LinkingObjects<Trunk>
}

/// An object that many lead to.
final class Porter: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int = 0
  @Persisted(indexed: true) var town: String = ""
  @Persisted var best: Porter?
  @Persisted(originProperty: "owner") var trunks: LinkingObjects<Trunk>
  @Persisted(originProperty: "items") var listed: LinkingObjects<Trunk>
}

/// An object inside others.
final class Spot: EmbeddedObject {
  @Persisted var city: String = ""
  @Persisted var number: Int = 0
  @Persisted var porter: Porter?
}

/// An object with collections to be asked.
final class Depot: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var trunks: List<Trunk>
  @Persisted var chosen: MutableSet<Trunk>
}

extension Trunk {
  convenience init(_ identifier: String, rank: Int = 0, owner: Porter? = nil) {
    self.init()
    self.identifier = identifier
    self.rank = rank
    self.owner = owner
  }
}

extension Porter {
  convenience init(_ name: String, age: Int = 0, town: String = "", best: Porter? = nil) {
    self.init()
    self.name = name
    self.age = age
    self.town = town
    self.best = best
  }
}

extension Spot {
  convenience init(_ city: String, _ number: Int = 0, _ porter: Porter? = nil) {
    self.init()
    self.city = city
    self.number = number
    self.porter = porter
  }
}

/// A test with a store of trunks.
class TrunkTestCase: StoreTestCase {
  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Depot.self])
  }

  /// The identifiers of the trunks for which a condition holds.
  func trunks(
    _ store: Store, where condition: (Query<Trunk>) -> Query<Bool>
  ) -> String {
    let found = store.objects(Trunk.self).where(condition)
    return found.map(\.identifier).joined(separator: " ")
  }
}
