import Foundation
import Leyden

/// An object with a property of every kind that leads to others or holds many values.
final class Sheet: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var title: String = ""
  @Persisted var rank: Int = 7
  @Persisted var numbers: List<Int>
  @Persisted var words: List<String?>
  @Persisted var labels: List<Label>
  @Persisted var tags: MutableSet<String>
  @Persisted var colors: MutableSet<Label>
  @Persisted var marks: Map<String, Label?>
  @Persisted var counts: Map<String, Int>
  @Persisted var owner: Person?
}

/// An object that many lead to.
final class Label: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var color: String = "grey"
  @Persisted(originProperty: "labels") var sheets: LinkingObjects<Sheet>
}

/// An object that leads to its own kind.
final class Person: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int = 0
  @Persisted var best: Person?
  @Persisted(originProperty: "owner") var sheets: LinkingObjects<Sheet>
  @Persisted(originProperty: "best") var admirers: LinkingObjects<Person>
}

extension Sheet {
  convenience init(_ identifier: String) {
    self.init()
    self.identifier = identifier
  }
}

extension Label {
  convenience init(_ name: String, color: String = "grey") {
    self.init()
    self.name = name
    self.color = color
  }
}

extension Person {
  convenience init(_ name: String, age: Int = 0) {
    self.init()
    self.name = name
    self.age = age
  }
}
