import Foundation
import Leyden
import LeydenTesting

/// One change of a ledger.
enum LedgerOperation: Sendable {
  /// Gives all values to an account, or adds it.
  case put(AccountValue)
  /// Moves an amount between two accounts, if both are there.
  case transfer(from: Int, to: Int, amount: Int)
  /// Changes the owner of an account, if it is there.
  case rename(Int, String)
  /// Removes an account, if it is there.
  case delete(Int)
  /// Removes all accounts.
  case deleteAll
}

/// What a store should hold: accounts in an array, in order of creation.
///
/// The commit with a number changes the same in every process that has the seed. So whoever knows how
/// many commits a store has seen knows all that it has to hold, whichever processes made them.
struct Ledger: Sendable, Equatable {
  static let accountNumbers = 48
  static let groups = 6
  static let owners = [
    "", "Ada", "ada", "ADA", "Grace", "Édith", "édith", "straße", "STRASSE", "日本語",
    String(repeating: "long owner ", count: 60),
  ]
  private static let noteSizes = [0, 0, 0, 7, 64, 300, 1_500, 2_500, 9_000]

  let seed: UInt64
  /// How many commits there were.
  var count = 0
  var accounts: [AccountValue] = []

  /// Begins with nothing.
  init(seed: UInt64) { self.seed = seed }

  /// Takes over what a store holds.
  init(seed: UInt64, _ store: Store) throws {
    self.seed = seed
    (count, accounts) = try store.read {
      (store.objects(Counter.self).first?.value ?? 0, store.values(of: Account.self))
    }
  }

  /// What the commit with a number changes.
  func operations(of number: Int) -> [LedgerOperation] {
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let isLong = Int.random(in: 0..<12, using: &generator) == 0
    let count = Int.random(in: 1...(isLong ? 30 : 4), using: &generator)
    return (0..<count).map { _ in Self.operation(of: number, &generator) }
  }

  private static func operation(
    of commit: Int, _ generator: inout SeededGenerator
  ) -> LedgerOperation {
    func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    let account = random(accountNumbers)
    switch random(100) {
    case ..<45: return .put(value(of: account, &generator))
    case ..<65: return .transfer(from: account, to: random(accountNumbers), amount: random(100))
    case ..<80: return .rename(account, owners[random(owners.count)])
    case 80 where random(8) == 0: return .deleteAll
    default: return .delete(account)
    }
  }

  private static func value(of number: Int, _ generator: inout SeededGenerator) -> AccountValue {
    var value = AccountValue(number: number)
    value.group = Int.random(in: 0..<groups, using: &generator)
    value.owner = owners[Int.random(in: 0..<owners.count, using: &generator)]
    value.code = Bool.random(using: &generator) ? "\(number)/\(value.group)" : nil
    value.balance = Int.random(in: -1_000...1_000, using: &generator)
    let size = noteSizes[Int.random(in: 0..<noteSizes.count, using: &generator)]
    value.note = Data(repeating: UInt8(truncatingIfNeeded: value.balance), count: size)
    return value
  }

  /// Makes the next commit.
  mutating func advance() {
    count += 1
    for operation in operations(of: count) { apply(operation) }
  }

  /// Makes all commits up to one.
  mutating func advance(to number: Int) { while count < number { advance() } }

  /// Makes one change.
  mutating func apply(_ operation: LedgerOperation) {
    switch operation {
    case .put(let value):
      if let place = place(of: value.number) {
        accounts[place] = value
      } else {
        accounts.append(value)
      }
    case .transfer(let source, let target, let amount):
      guard let source = place(of: source), let target = place(of: target) else { return }
      accounts[source].balance -= amount
      accounts[target].balance += amount
    case .rename(let number, let owner):
      if let place = place(of: number) { accounts[place].owner = owner }
    case .delete(let number): accounts.removeAll { $0.number == number }
    case .deleteAll: accounts = []
    }
  }

  private func place(of number: Int) -> Int? { accounts.firstIndex { $0.number == number } }
}

extension Ledger {
  /// Makes the next commit of a store within a write of it.
  ///
  /// - Returns: Its number; `nil` where everybody is to end.
  func writeNext(in store: Store) throws -> Int? {
    let counter =
      try store.object(ofType: Counter.self, forPrimaryKey: "commits")
      ?? store.create(Counter.self, value: ["name": "commits"])
    if counter.isOver { return nil }
    counter.value += 1
    let number = counter.value
    for operation in operations(of: number) { try operation.apply(to: store) }
    return number
  }
}

extension LedgerOperation {
  /// Makes the change within a write of a store.
  func apply(to store: Store) throws {
    func account(_ number: Int) -> Account? {
      store.object(ofType: Account.self, forPrimaryKey: number)
    }
    switch self {
    case .put(let value): try store.add(value: value, as: Account.self, update: .modified)
    case .transfer(let source, let target, let amount):
      guard let source = account(source), let target = account(target) else { return }
      source.balance -= amount
      target.balance += amount
    case .rename(let number, let owner): account(number)?.owner = owner
    case .delete(let number): if let account = account(number) { try store.delete(account) }
    case .deleteAll: try store.deleteAll(Account.self)
    }
  }
}
