import Foundation
import Leyden
import TestSupport

/// Roles that write.
enum Writing {
  /// Commits random changes; an item counts the commits.
  static func write(seed: UInt64, count: Int, to store: Store) throws {
    var commits = RandomCommits(seed: seed)
    var cards = CardList(store)
    for _ in 0..<count {
      let operations = commits.next(for: cards)
      let number = try store.write {
        for operation in operations { try operation.apply(to: store) }
        guard let counter = store.objects(Item.self).first else { return 0 }
        counter.value += 1
        return counter.value
      }
      cards.apply(operations)
      say(number)
    }
  }

  /// Adds two rows and deletes the lowest one, in each turn, as often as all together need.
  static func takeTurns(in store: Store) throws {
    let isCounter = { (item: Query<Item>) in item.name == "counter" }
    var isDone = false
    while !isDone {
      try store.write {
        guard let counter = store.objects(Item.self).where(isCounter).first else { return }
        isDone = counter.value >= 100
        if isDone { return }
        counter.value += 1
        let turn = counter.value
        try store.add([Item(turn), Item(turn)])
        let rows = store.objects(Item.self).where { !isCounter($0) }.sorted(by: \.value)
        if let lowest = rows.first { try store.delete(lowest) }
      }
    }
  }

  /// Makes one commit for each line of input.
  static func edit(_ store: Store) throws {
    say("ready")
    while let line = readLine() {
      let card = store.object(ofType: Card.self, forPrimaryKey: "edited")
      try store.write {
        switch line {
        case "add": try store.add(Card("edited"))
        case "edit": card?.rank += 1
        case "same": card.map { $0.title = $0.title }
        case "delete": if let card { try store.delete(card) }
        default: break
        }
      }
      say(line)
    }
  }

  /// Stays inside a write until the input ends, and rolls it back.
  static func hold(_ store: Store) throws {
    try store.beginWrite()
    try store.add(Card("held"))
    say("holding")
    _ = readLine()
    try store.cancelWrite()
  }

  /// Adds as many cards of 50 kB as are missing, one in each write; dies inside the write of one.
  static func grow(_ name: String, _ count: Int, dyingAt last: Int, _ path: String) throws {
    let store = try TestChild.open(path, .relaxed)
    for number in store.objects(Card.self).where({ $0.title == name }).count..<count {
      try store.write {
        let card = try store.add(Card("\(name) \(number)", title: name, rank: number))
        card.picture = Data(repeating: UInt8(number & 0xff), count: 50_000)
        if number == last { kill(getpid(), SIGKILL) }
      }
    }
    say(store.objects(Card.self).where { $0.title == name }.count)
  }

  /// Tells which numbers rows got that were rolled back.
  static func rollBack(rows count: Int, in store: Store) throws {
    try store.beginWrite()
    for value in 0..<count { say(try store.add(Item(value)).access?.identity?.row ?? 0) }
    try store.cancelWrite()
  }

  /// Adds cards until a file would be larger than this process may make it; then deletes some and
  /// goes on.
  static func fill(_ store: Store) throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 4 << 20, rlim_max: 4 << 20)
    guard unsafe setrlimit(.init(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(77) }
    var number = 0
    for _ in 0..<3 {
      do {
        while true {
          let card = Card("\(number)")
          card.picture = Data(repeating: UInt8(number & 0xff), count: 100_000)
          try store.write { try store.add(card) }
          number += 1
        }
      } catch StoreError.diskFull { say("full") } catch { say(error) }
      try store.write { try store.delete(store.objects(Card.self).prefix(10)) }
    }
    say(store.objects(Card.self).map(\.identifier).joined(separator: " "))
  }
}
