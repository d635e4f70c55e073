import LeydenStorage

/// What changed between two versions: rows, by type.
///
/// Within one set a row is in one of the three groups only.
package struct ObjectChangeSet: Sendable {
  /// Properties of one type, by ordinal.
  package struct Properties: Sendable, Hashable {
    /// A value as it was before the first change, as a number that tells values apart.
    struct Fingerprint: Sendable, Hashable {
      let ordinal: Int
      let value: UInt64
    }

    private var low: UInt64 = 0
    private var high: Set<Int> = []
    /// What the values were before; without those that are not known.
    private(set) var before: [Fingerprint] = []
    /// Properties that more than one commit changed: they may be as they were.
    private var repeated: [Int] = []
    /// The sums of these properties' fingerprints, of all commits; without those of which one is not known.
    private var sums: [Fingerprint] = []

    /// No property.
    package init() {}

    /// Every property: where it is not known which ones changed.
    package static let all: Properties = {
      var properties = Properties()
      properties.isAll = true
      return properties
    }()

    private var isAll = false

    /// Adds a property.
    package mutating func insert(_ ordinal: Int) {
      if ordinal < 64 { low |= 1 << UInt64(ordinal) } else { high.insert(ordinal) }
    }

    /// Adds a property with the fingerprint of its value before; 0 where that is not known.
    mutating func insert(_ ordinal: Int, before fingerprint: UInt64) {
      insert(ordinal)
      if fingerprint != 0 { before.append(Fingerprint(ordinal: ordinal, value: fingerprint)) }
    }

    /// Whether more than one commit changed some property.
    var hasRepeated: Bool { !repeated.isEmpty }

    /// Removes the properties that more than one commit changed and that are as they were.
    ///
    /// - Parameter isAsBefore: Whether a property is, by the fingerprint that was noted first and by the sum of
    ///   all.
    /// - Throws: What `isAsBefore` throws.
    mutating func settle(
      _ isAsBefore: (_ ordinal: Int, _ first: UInt64, _ sum: UInt64?) throws(StorageError) -> Bool
    ) throws(StorageError) {
      for ordinal in repeated {
        guard let first = Self.value(of: ordinal, in: before),
          try isAsBefore(ordinal, first, Self.value(of: ordinal, in: sums))
        else { continue }
        if ordinal < 64 { low &= ~(1 << UInt64(ordinal)) } else { high.remove(ordinal) }
      }
      repeated = []
      sums = []
    }

    private static func value(of ordinal: Int, in fingerprints: [Fingerprint]) -> UInt64? {
      fingerprints.first { $0.ordinal == ordinal }?.value
    }

    /// Adds the fingerprints of a later commit to the sums of the properties that it changed again.
    private mutating func addFingerprints(of other: Properties, for ordinals: [Int]) {
      for ordinal in ordinals {
        let isFirst = !repeated.contains(ordinal)
        let sum = Self.value(of: ordinal, in: isFirst ? before : sums)
        sums.removeAll { $0.ordinal == ordinal }
        guard let sum, let more = Self.value(of: ordinal, in: other.before) else { continue }
        sums.append(Fingerprint(ordinal: ordinal, value: sum &+ more))
      }
    }

    /// Adds the properties that a later commit changed.
    package mutating func formUnion(_ other: Properties) {
      if !isAll, !other.isAll {
        let again = other.ordinals.filter { contains($0) }
        addFingerprints(of: other, for: again)
        repeated += again.filter { !repeated.contains($0) }
        before += other.before.filter { !contains($0.ordinal) }
      }
      low |= other.low
      high.formUnion(other.high)
      isAll = isAll || other.isAll
    }

    /// Whether a property is in the set.
    package func contains(_ ordinal: Int) -> Bool {
      isAll || (ordinal < 64 ? low >> UInt64(ordinal) & 1 != 0 : high.contains(ordinal))
    }

    /// Whether the two sets share a property.
    package func intersects(_ other: Properties) -> Bool {
      if isEmpty || other.isEmpty { return false }
      return isAll || other.isAll || low & other.low != 0 || !high.isDisjoint(with: other.high)
    }

    /// Whether no property is in the set.
    package var isEmpty: Bool { low == 0 && high.isEmpty && !isAll }

    /// The ordinals, ascending; empty for ``all``.
    package var ordinals: [Int] {
      isAll ? [] : (0..<64).filter { low >> UInt64($0) & 1 != 0 } + high.sorted()
    }
  }

  /// What happened to one row.
  package enum Change: Sendable, Hashable {
    /// It is new.
    case inserted
    /// It is gone.
    case deleted
    /// It was and is there, with other values of these properties.
    indirect case modified(Properties)
  }

  /// Changed rows of each type, by row number.
  package var types: [UInt32: [UInt64: Change]] = [:]
  /// Whether the catalog changed.
  package var changesCatalog = false

  /// Nothing.
  package init() {}

  /// Whether nothing changed.
  package var isEmpty: Bool { !changesCatalog && types.values.allSatisfy(\.isEmpty) }
  /// Whether rows were deleted, and nothing else was done.
  var onlyDeletes: Bool {
    !changesCatalog && types.values.allSatisfy { $0.values.allSatisfy { $0 == .deleted } }
  }

  /// Notes a row's change, after those noted before: a new row that was modified is new, one that
  /// was deleted again never was.
  package mutating func note(_ change: Change, row: UInt64, type: UInt32) {
    // A new row has not been noted before.
    if case .inserted = change { return types[type, default: [:]][row] = change }
    let before = types[type]?[row]
    switch (before, change) {
    case (.inserted, .modified): break
    case (.inserted, .deleted): types[type]?[row] = nil
    case (.modified(var all), .modified(let more)):
      all.formUnion(more)
      types[type]?[row] = .modified(all)
    default: types[type, default: [:]][row] = change
    }
  }

  /// Adds the changes that a later commit made.
  package mutating func merge(_ later: ObjectChangeSet) {
    changesCatalog = changesCatalog || later.changesCatalog
    for (type, rows) in later.types {
      for (row, change) in rows { note(change, row: row, type: type) }
    }
  }
}
