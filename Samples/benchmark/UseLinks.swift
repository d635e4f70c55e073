import Foundation
import Leyden

/// An object that many lead to.
final class Hub: Object {
  @Persisted(originProperty: "hub") var spokes: LinkingObjects<Spoke>
}

/// An object that leads to a hub.
final class Spoke: Object {
  @Persisted var hub: Hub?
}

/// Asks what links cost, and whether that depends on how many lead to one object.
struct UseLinks: Question {
  let name = "links"
  private let steps = 500

  func title(_ options: Options) -> String { "links of \(options.notes) objects to one" }

  func measure(_ report: Report) throws {
    report.begin()
    let stores = try Stores()
    let store = try Store(
      configuration: Stores.configuration(in: stores.directory, of: Spoke.self))
    for count in [1_000, report.options.notes] {
      let (hub, other) = try store.write { (try store.add(Hub()), try store.add(Hub())) }
      try report.row(
        "add an object with a link", operations: count,
        leyden: {
          try store.write {
            try store.delete(hub.spokes)
            return try nanoseconds {
              for _ in 0..<count {
                let spoke = Spoke()
                spoke.hub = hub
                try store.add(spoke)
              }
            }
          }
        })
      let spokes = Array(hub.spokes)
      try report.row(
        "let one of \(count) lead elsewhere and back", operations: steps,
        leyden: {
          try store.write {
            nanoseconds {
              for spoke in spokes.prefix(steps) {
                spoke.hub = other
                spoke.hub = hub
              }
            }
          }
        })
      try report.row(
        "delete one of \(count) that lead to one", operations: steps,
        leyden: {
          let added = try store.write {
            try (0..<steps).map { _ in
              let spoke = try store.add(Spoke())
              spoke.hub = hub
              return spoke
            }
          }
          return try store.write {
            try nanoseconds { for spoke in added { try store.delete(spoke) } }
          }
        })
      try report.row(
        "delete the one, of each link", operations: count,
        leyden: {
          let next = try store.write {
            let next = try store.add(Hub())
            for spoke in spokes { spoke.hub = next }
            return next
          }
          return try nanoseconds { try store.write { try store.delete(next) } }
        })
      try store.write { for spoke in spokes { spoke.hub = hub } }
    }
  }
}
