import Foundation
import Leyden
import LeydenTesting

/// An object with collections of values of every type.
final class Basket: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var ints: List<Int>
  @Persisted var tiny: List<Int8>
  @Persisted var unsigned: List<UInt32>
  @Persisted var truths: List<Bool>
  @Persisted var floats: List<Float>
  @Persisted var doubles: List<Double>
  @Persisted var texts: List<String>
  @Persisted var bytes: List<Data>
  @Persisted var dates: List<Date>
  @Persisted var uuids: List<UUID>
  @Persisted var decimals: List<Decimal>
  @Persisted var identifiers: List<ObjectId>
  @Persisted var flavours: List<Flavour>
  @Persisted var lengths: List<Length>
  @Persisted var anything: List<AnyValue>
  @Persisted var optionalInts: List<Int?>
  @Persisted var optionalTexts: List<String?>
  @Persisted var optionalFlavours: List<Flavour?>
  @Persisted var fruits: List<Fruit>
  @Persisted var numbers: MutableSet<Int>
  @Persisted var reals: MutableSet<Double>
  @Persisted var words: MutableSet<String>
  @Persisted var optionalWords: MutableSet<String?>
  @Persisted var readers: MutableSet<Fruit>
  @Persisted var prices: Map<String, Decimal>
  @Persisted var counts: Map<String, Int?>
  @Persisted var tastes: Map<String, Flavour>
  @Persisted var favourites: Map<String, Fruit?>

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

/// What lies in a basket.
final class Fruit: Object, Codable {
  @Persisted(primaryKey: true) var title: String
  @Persisted var grams: Int = 100

  convenience init(_ title: String) {
    self.init()
    self.title = title
  }
}

enum Flavour: Int, PersistableEnum, Codable { case sweet, sour, bitter }

struct Length: CustomPersistable, Hashable {
  var metres: Double
  init(metres: Double) { self.metres = metres }
  init(persistedValue: Double) { metres = persistedValue }
  var persistableValue: Double { metres }
}

/// A test with a store of baskets and fruits.
class BasketTestCase: StoreTestCase {
  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Basket.self, Fruit.self])
  }

  /// A managed basket and its store.
  func basket(_ name: String = "s") throws -> (Store, Basket) {
    let store = try store()
    return (store, try store.write { try store.add(Basket(name)) })
  }
}
