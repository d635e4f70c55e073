import Foundation
import Leyden
import TestSupport

/// The end of a program, in all states that a store may be in.
enum Ending {
  static func end(_ how: String, _ path: String) async throws {
    if how == "nothing" { return }
    let store = try TestChild.open(path)
    let cards = store.objects(Card.self)
    let token = cards.observe { change in
      if how == "exit in a callback", case .update = change { exit(0) }
    }
    try store.write { try store.add(Card(how)) }
    switch how {
    case "closed": store.close()
    case "token": withExtendedLifetime(token) {}
    case "let go": token.invalidate()
    case "cancelled task":
      var iterator = cards.changes.makeAsyncIterator()
      _ = await iterator.next()
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      _ = await iterator.next()
    case "in a write":
      try store.beginWrite()
      try store.add(Card("unfinished"))
    case "signal in a write":
      try store.beginWrite()
      try store.add(Card("unfinished"))
      say("writing")
      _ = readLine()
    default: break
    }
  }
}
