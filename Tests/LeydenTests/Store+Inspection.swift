import Leyden
import LeydenStorage

extension Store {
  /// The number of chunks in the table of large values.
  func rowsOfLargeValues() throws -> Int {
    try session.withTransaction { (transaction) throws(StorageError) in
      guard let table = try transaction.table(named: LargeValues.table) else { return 0 }
      return try transaction.count(of: table)
    }
  }
}
