import Foundation
import Leyden
import TestSupport

/// Roles that make mistakes.
enum Mistakes {
  final class Unlisted: Object {
    @Persisted var value: Int
  }

  final class Pile: Object {
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int>
  }

  /// Makes a mistake that stops the program.
  static func make(_ which: String, in store: Store) throws {
    let card = try store.write { try store.add(Card("a"), update: .modified) }
    switch which {
    case "set": card.title = "outside of a write"
    case "unlisted": say(store.objects(Unlisted.self).count)
    case "position": say(store.objects(Card.self)[9].title)
    default: try make(which, with: try store.write { try store.add(Pile()) }, in: store)
    }
  }

  private static func make(_ which: String, with pile: Pile, in store: Store) throws {
    switch which {
    case "list": pile.numbers.append(1)
    case "insert into a set": pile.words.insert("a")
    case "map": pile.counts["a"] = 1
    case "list position": say(pile.numbers[9])
    case "position in a write": try store.write { pile.numbers.remove(at: 5) }
    case "unmanaged position": say(Pile().numbers[3])
    case "empty list": try store.write { pile.numbers.removeLast() }
    default: exit(64)
    }
  }

  /// Prints the error that a user without rights gets.
  static func openAsNobody(_ path: String) {
    guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(77) }
    for readOnly in [false, true] {
      var configuration = Store.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: [Card.self])
      configuration.readOnly = readOnly
      do {
        _ = try Store(configuration: configuration)
        say("opened")
      } catch StoreError.permissionDenied(let url) {
        say("permissionDenied \(url.path)")
      } catch { say(error) }
    }
  }
}
