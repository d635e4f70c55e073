import Foundation
public import Leyden

/// What an observer in another process was told, as one line of JSON.
public struct ChangeLine: Codable, Sendable {
  /// One card with its row.
  public struct Row: Codable, Sendable, Equatable {
    /// The row's number.
    public var row: UInt64
    /// The card.
    public var value: CardValue
  }

  /// Whether this is the first call: then ``rows`` is the whole collection.
  public var isInitial = false
  /// Positions before.
  public var deletions: [Int] = []
  /// Positions after.
  public var insertions: [Int] = []
  /// Positions before.
  public var modifications: [Int] = []
  /// The inserted rows, then the modified ones.
  public var rows: [Row] = []

  /// Notes the first call.
  public init(initial results: Results<Card>) {
    isInitial = true
    rows = results.map(Self.row)
  }

  /// Notes a change.
  ///
  /// - Parameters:
  ///   - results: The collection as it is now.
  ///   - count: The number of rows before.
  ///   - deletions: Positions before.
  ///   - insertions: Positions after.
  ///   - modifications: Positions before.
  public init(
    _ results: Results<Card>, count: Int, deletions: [Int], insertions: [Int],
    modifications: [Int]
  ) {
    self.deletions = deletions
    self.insertions = insertions
    self.modifications = modifications
    let now = Array(results)
    let gone = Set(deletions)
    let new = Set(insertions)
    let before = (0..<count).filter { !gone.contains($0) }
    let after = now.indices.filter { !new.contains($0) }
    let places = Dictionary(uniqueKeysWithValues: zip(before, after))
    rows = (insertions + modifications.compactMap { places[$0] }).map { Self.row(now[$0]) }
  }

  private static func row(_ card: Card) -> Row {
    Row(row: card.access?.identity?.row ?? 0, value: card.value)
  }

  /// Makes the change to the rows before it.
  public func apply(to old: [Row]) -> [Row] {
    if isInitial { return rows }
    var new = old
    for (position, row) in zip(modifications, rows.dropFirst(insertions.count)) {
      new[position] = row
    }
    for position in deletions.reversed() { new.remove(at: position) }
    for (position, row) in zip(insertions, rows) { new.insert(row, at: position) }
    return new
  }

  /// The line.
  public func encoded() throws -> String {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// Reads a line.
  public init(line: String) throws {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    self = try decoder.decode(ChangeLine.self, from: Data(line.utf8))
  }
}
