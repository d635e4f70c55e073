import LeydenStorage

/// One term of an order, made ready for one model.
struct CompiledTerm {
  let term: SortTerm
  let reader: RouteReader

  init(_ term: SortTerm, _ binding: TypeBinding, _ session: Session) {
    self.term = term
    reader = RouteReader(term.route, binding, session)
  }

  /// Appends what a row is sorted by to a key.
  func append(
    _ record: StoredRecord, to key: inout KeyEncoder, _ transaction: Transaction
  ) throws(StorageError) {
    if reader.isDirect {
      return try term.append(record, reader.isOptional, to: &key, transaction)
    }
    var made = key
    try reader.withRecord(of: record, in: transaction) { (record) throws(StorageError) in
      try term.append(record, true, to: &made, transaction)
    }
    key = made
  }
}
