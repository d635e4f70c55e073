import Foundation
import Leyden

extension Ledger {
  /// What is wrong with a store that should hold this ledger; empty where nothing is.
  ///
  /// The one check at the end of every run. It reads all rows, each one by its key, and asks every
  /// index for what it should have and for what it should not have.
  func problems(of store: Store, verifying: Bool = true) -> [String] {
    do {
      return try store.read {
        let counter = store.objects(Counter.self).first?.value ?? 0
        guard counter == count else {
          return ["the store has seen \(counter) commits, not \(count)"]
        }
        if verifying { try store.verify() }
        return LedgerCheck(store: store, expected: accounts).problems()
      }
    } catch { return ["\(error)"] }
  }
}

/// Compares what a store answers with the accounts that it should hold.
private struct LedgerCheck {
  let store: Store
  let expected: [AccountValue]

  func problems() -> [String] {
    let accounts = store.objects(Account.self)
    var problems: [String] = []
    func check(_ what: String, _ found: Results<Account>, _ isIn: (AccountValue) -> Bool) {
      let numbers = found.map(\.number)
      let right = expected.filter(isIn).map(\.number)
      if numbers != right { problems.append("\(what): \(numbers), not \(right)") }
    }
    let values = store.values(of: Account.self)
    if values != expected { problems.append("the rows are \(values), not \(expected)") }
    if accounts.count != expected.count { problems.append("\(accounts.count) rows are counted") }

    let byNumber = Dictionary(expected.map { ($0.number, $0) }) { $1 }
    for number in Set(0..<Ledger.accountNumbers).union(byNumber.keys) {
      let found = store.object(ofType: Account.self, forPrimaryKey: number)?.value
      if found != byNumber[number] { problems.append("by its key, \(number) is wrong") }
    }
    for group in -1...Ledger.groups {
      check("group \(group)", accounts.where { $0.group == group }) { $0.group == group }
      check("from group \(group)", accounts.where { $0.group >= group }) { $0.group >= group }
    }
    let owners = Set(Ledger.owners + expected.map(\.owner) + ["nobody"])
    let folded = Dictionary(uniqueKeysWithValues: owners.map { ($0, $0.uppercased().lowercased()) })
    for owner in owners {
      check("owner \(owner)", accounts.where { $0.owner == owner }) { $0.owner == owner }
      check(
        "owner \(owner), any case",
        accounts.where { $0.owner.equals(owner, options: .caseInsensitive) }
      ) { folded[$0.owner] == folded[owner] }
    }
    for code in Set(expected.map(\.code)).union([nil, "none"]) {
      check("code \(code ?? "nil")", accounts.where { $0.code == code }) { $0.code == code }
    }
    let inOrder = expected.enumerated().sorted {
      ($0.element.group, $0.offset) < ($1.element.group, $1.offset)
    }
    if accounts.sorted(by: \.group).map(\.number) != inOrder.map(\.element.number) {
      problems.append("sorted by group the rows are in another order")
    }
    if let failure = store.failure { problems.append("\(failure)") }
    return problems
  }
}
