import Foundation
import Leyden

/// A row of the store that is tortured: every kind of index, short values and long ones.
final class Account: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted(indexed: true) var group: Int
  @Persisted(indexed: true, index: .caseInsensitive) var owner: String = ""
  @Persisted(unique: true) var code: String?
  @Persisted var balance: Int
  @Persisted var note: Data
}

/// The same row as a program knew it that had no indexes yet.
final class PlainAccount: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var group: Int
  @Persisted var owner: String = ""
  @Persisted var code: String?
  @Persisted var balance: Int
  @Persisted var note: Data

  override class var storedName: String { "Account" }
}

/// Says how many commits there were; every commit raises it.
final class Counter: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var value: Int
  /// Tells everybody to end.
  @Persisted var isOver: Bool
}

/// An ``Account`` as a plain value.
struct AccountValue: Sendable, Hashable {
  var number: Int
  var group = 0
  var owner = ""
  var code: String?
  var balance = 0
  var note = Data()
}

extension Account: ValueConvertible {
  convenience init(value: AccountValue) {
    self.init()
    number = value.number
    take(value)
  }

  func take(_ value: AccountValue) {
    group = value.group
    owner = value.owner
    code = value.code
    balance = value.balance
    note = value.note
  }

  var value: AccountValue {
    AccountValue(
      number: number, group: group, owner: owner, code: code, balance: balance, note: note)
  }
}
