import Leyden
import LeydenStorage

extension Store {
  /// The number that tells one run of the store's history from another.
  func incarnation() throws -> [UInt8] {
    let transaction = try session.core.environment.beginRead()
    defer { transaction.end() }
    guard let meta = try transaction.table(named: "meta") else { return [] }
    let key = Array("incarnation".utf8)
    return unsafe try key.withUnsafeBytes { key in
      unsafe try transaction.value(for: key, in: meta).map { unsafe Array($0) } ?? []
    }
  }
}
