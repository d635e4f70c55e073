/// Rows in order, in counted chunks: finding, inserting, removing and ranking a row costs
/// O(log *n*), whatever the number of rows.
///
/// A value: copies share their chunks until one of them changes.
package struct OrderedRows: Sendable {
  /// Rows in one chunk at the most: inserting moves 12 KiB at the worst, and the list of chunks of a
  /// million rows is 16 KiB.
  private static let chunkLimit = 512

  /// One chunk of whatever size, before the first change.
  private var chunks: [[OrderedRow]]
  /// The position of each chunk's first row; empty after a change, until a position is asked for.
  private var starts: [Int]
  /// The number of rows.
  package private(set) var count: Int

  /// Takes rows that are in order already.
  ///
  /// - Complexity: O(1), and O(*n*) with the first change.
  package init(sorted rows: [OrderedRow]) {
    chunks = rows.isEmpty ? [] : [rows]
    starts = []
    count = rows.count
  }

  /// Brings the rows that were taken over into chunks.
  private mutating func splitFirstTime() {
    guard chunks.count == 1, count > Self.chunkLimit else { return }
    let rows = chunks[0]
    // Three quarters full, so that the first insertions split nothing.
    let size = Self.chunkLimit * 3 / 4
    chunks = stride(from: 0, to: rows.count, by: size).map {
      Array(rows[$0..<min($0 + size, rows.count)])
    }
  }

  /// All row numbers, in order.
  ///
  /// - Complexity: O(*n*).
  package var rows: [UInt64] {
    var rows: [UInt64] = []
    rows.reserveCapacity(count)
    for chunk in chunks { for entry in chunk { rows.append(entry.row) } }
    return rows
  }

  /// The row numbers at positions, in order.
  ///
  /// - Complexity: O(*m*) for *m* positions, and O(*n* / 512).
  func rows(in positions: Range<Int>) -> [UInt64] {
    var rows: [UInt64] = []
    rows.reserveCapacity(positions.count)
    var start = 0
    for chunk in chunks {
      defer { start += chunk.count }
      let part = positions.clamped(to: start..<start + chunk.count)
      for position in part { rows.append(chunk[position - start].row) }
    }
    return rows
  }

  /// Calls `body` with each row, in order.
  package func forEach(_ body: (OrderedRow) -> Void) {
    for chunk in chunks { chunk.forEach(body) }
  }

  /// Whether a row is there, at just this place.
  package func contains(_ row: OrderedRow) -> Bool { find(row) != nil }

  /// The position of a row that is there at just this place, or `nil`.
  package mutating func rank(of row: OrderedRow) -> Int? {
    guard let place = find(row) else { return nil }
    countStarts()
    return starts[place.chunk] + place.offset
  }

  /// The row at a position; `position` is less than ``count``.
  package mutating func row(at position: Int) -> UInt64 {
    countStarts()
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return chunks[low][position - starts[low]].row
  }

  /// Adds a row at its place, if it is not there already.
  package mutating func insert(_ row: OrderedRow) {
    starts = []
    splitFirstTime()
    guard !chunks.isEmpty else {
      chunks = [[row]]
      count = 1
      return
    }
    let chunk = min(chunkIndex(of: row), chunks.count - 1)
    let offset = Self.offset(of: row, in: chunks[chunk])
    if offset < chunks[chunk].count, chunks[chunk][offset] == row { return }
    chunks[chunk].insert(row, at: offset)
    count += 1
    guard chunks[chunk].count > Self.chunkLimit else { return }
    // A chunk that grew at its end is in an ascending run: the next rows go behind it as well.
    let middle = offset == Self.chunkLimit ? offset : Self.chunkLimit / 2
    let tail = Array(chunks[chunk][middle...])
    chunks[chunk].removeSubrange(middle...)
    chunks.insert(tail, at: chunk + 1)
  }

  /// Removes a row that is there at just this place.
  package mutating func remove(_ row: OrderedRow) {
    splitFirstTime()
    guard let place = find(row) else { return }
    starts = []
    chunks[place.chunk].remove(at: place.offset)
    count -= 1
    if chunks[place.chunk].isEmpty {
      chunks.remove(at: place.chunk)
    } else if place.chunk + 1 < chunks.count,
      chunks[place.chunk].count + chunks[place.chunk + 1].count < Self.chunkLimit / 2
    {
      chunks[place.chunk] += chunks.remove(at: place.chunk + 1)
    }
  }

  private func find(_ row: OrderedRow) -> (chunk: Int, offset: Int)? {
    let chunk = chunkIndex(of: row)
    guard chunk < chunks.count else { return nil }
    let offset = Self.offset(of: row, in: chunks[chunk])
    guard offset < chunks[chunk].count, chunks[chunk][offset] == row else { return nil }
    return (chunk, offset)
  }

  /// The first chunk whose last row is not before `row`.
  private func chunkIndex(of row: OrderedRow) -> Int {
    var low = 0
    var high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle][chunks[middle].count - 1] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func offset(of row: OrderedRow, in chunk: [OrderedRow]) -> Int {
    var low = 0
    var high = chunk.count
    while low < high {
      let middle = (low + high) / 2
      if chunk[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func countStarts() {
    guard starts.count != chunks.count else { return }
    starts.removeAll(keepingCapacity: true)
    var start = 0
    for chunk in chunks {
      starts.append(start)
      start += chunk.count
    }
  }
}
