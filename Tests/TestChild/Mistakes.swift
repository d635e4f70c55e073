import Foundation
import Leyden
import TestSupport

/// Roles that make mistakes.
enum Mistakes {
  final class Unlisted: Object {
    @Persisted var value: Int
  }

  /// Makes a mistake that stops the program.
  static func make(_ which: String, in store: Store) throws {
    let card = try store.write { try store.add(Card("a"), update: .modified) }
    switch which {
    case "set": card.title = "outside of a write"
    case "unlisted": say(store.objects(Unlisted.self).count)
    case "position": say(store.objects(Card.self)[9].title)
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
