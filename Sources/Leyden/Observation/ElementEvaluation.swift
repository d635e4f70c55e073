import LeydenStorage

/// What is asked of the elements of one live collection, shared by all copies of a results value.
///
/// The elements are kept as they are stored, of the last look at the store, so that positions stay valid.
package final class ElementEvaluation {
  /// The elements of one look.
  package struct Elements {
    /// The elements, in order.
    package var values: [StoredValue] = []
    /// Their positions in the collection; `nil` where these are the same.
    package var positions: [Int]?
  }

  /// Which state of the store a look was at.
  private struct Age: Equatable {
    /// The last commit that may have changed what was seen.
    let version: UInt64
    /// The write's revision; 0 for a committed version.
    let revision: UInt64
  }

  /// The object that the collection is in.
  package let row: ManagedRow
  /// What is asked.
  package let query: ElementQuery
  private var elements: Elements?
  private var age: Age?

  /// Makes an evaluation that has not been done yet.
  package init(_ row: ManagedRow, _ query: ElementQuery) {
    self.row = row
    self.query = query
  }

  /// The elements of the last look; looks where that never happened.
  package var last: Elements { elements ?? current() }

  /// The elements at the store's version; none where the collection's owner is gone.
  package func current() -> Elements {
    // Asking for the reader first notes what is read of others, for who wants to know.
    let asksForOthers = query.asksForOthers(row.session)
    let found: Elements? = reading { (reader, age) throws(StorageError) in
      let age = Age(
        version: asksForOthers
          ? try ChangeLog.newestVersion(in: reader.transaction) : age.version,
        revision: age.revision)
      if self.age == age, let elements = self.elements { return elements }
      self.age = age
      return try self.look(reader)
    }
    if found == nil { age = nil }
    let elements = found ?? Elements()
    self.elements = elements
    return elements
  }

  private func look(_ reader: CollectionReader) throws(StorageError) -> Elements {
    let all = try reader.elements()
    guard !query.stages.isEmpty else { return Elements(values: all) }
    let positions =
      try query.reader(row.session)?.positions(
        of: all, after: query.stages, in: reader.transaction) ?? []
    return Elements(values: positions.map { all[$0] }, positions: positions)
  }

  /// The position of the first element that fulfils a condition.
  package func firstPosition(where condition: Expression) -> Int? {
    let values = current().values
    let found = reading { (reader, _) throws(StorageError) in
      try self.query.reader(self.row.session)?.positions(
        of: values, after: [.filter(condition), .limit(1)], in: reader.transaction
      ).first
    }
    return found ?? nil
  }

  /// Calls `body` with what a route leads to from each element.
  package func forEachValue(of route: Route, _ body: (StoredValue) -> Void) {
    let values = current().values
    _ = reading { (reader, _) throws(StorageError) in
      guard let read = self.query.reader(self.row.session)?.values(of: route) else { return }
      for value in values { body(try read(value, reader.transaction)) }
    }
  }

  /// How the elements are found, in words.
  package func explanation() -> String {
    let all = reading { (reader, _) throws(StorageError) in try reader.count() } ?? 0
    return "\(all) elements of one collection\(query.stages.isEmpty ? "" : ", in steps")"
  }

  private func reading<Result>(
    _ body: (CollectionReader, CollectionAge) throws(StorageError) -> Result
  ) -> Result? {
    if let writer = row.session.writer, row.binding.model.columns[query.column].target != nil {
      // What the elements lead to is read from the tables.
      do throws(StoreError) { try writer.flush() } catch {
        writer.poison(error)
        return nil
      }
    }
    return row.session.reading(row, query.column, body)
  }
}
