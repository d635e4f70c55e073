/// Something about a store's bytes that contradicts its format.
///
/// It says what is wrong, where, and what to do.
public struct VerificationFinding: Sendable, Hashable {
  /// What is wrong.
  ///
  /// Docs/FileFormat.md, "Invariants", names the rules that are meant.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A page of the file that describes the newest version, or the one before.
    case metaPage
    /// A page that is not there, or is not what leads to it says.
    case page
    /// A page to which two places lead.
    case pageReachedTwice
    /// Keys of a table that are out of order, so that entries are not found.
    case keyOrder
    /// A key that is empty or too long (K1).
    case keyLength
    /// Numbers that a table keeps of its pages and entries.
    case counts
    /// The list of pages that are to be used again.
    case freePages
    /// Pages that neither a table nor the free list names: lost room, no lost data.
    case lostPages
    /// Something beside the names of tables.
    case tableOfNames

    /// A number of the whole store, in the table `meta`.
    case meta
    /// An entry of the catalog, or what it leads to (C1).
    case catalog
    /// A layout of records (C2).
    case layout
    /// A table that the catalog has and the file has not, or the other way round (C1).
    case table
    /// A number of a type, property or index (N2).
    case identifier
    /// A row's number (N1).
    case rowNumber
    /// A record's shape or checksum (R1).
    case record
    /// A record's version (R2).
    case recordVersion
    /// A value that its property cannot have (R3).
    case value
    /// A long value that is missing, cut off or damaged (B1).
    case largeValue
    /// A part of a long value that no record refers to (B1).
    case unownedChunk
    /// A link that leads to no object, or to one of another type (L1).
    case link
    /// A link that the table of inverses lacks, so that linking objects miss it (L2).
    case missingInverseEntry
    /// An entry among the inverses that is of no link, or says something else of it (L2).
    case wrongInverseEntry
    /// A list, a set or a map: its form, its count, its parts, the order of its keys (S1).
    case collection
    /// A part of a collection that no object has (S1).
    case unownedEntry
    /// A record that an index lacks, so that queries miss it (X1).
    case missingIndexEntry
    /// An entry of an index that belongs to no record with these values (X2).
    case wrongIndexEntry
    /// Two objects with one value of a unique property (X3).
    case notUnique
    /// The log of commits: its numbering, checksums and contents (G1).
    case log
    /// A row that is not as the log says (G2).
    case logMention
  }

  /// Where it is; what does not apply is `nil`.
  public struct Place: Sendable, Hashable {
    /// The table of the file, as Docs/FileFormat.md names it.
    public var table: String?
    /// The page of the file.
    public var page: UInt64?
    /// The type's name.
    public var typeName: String?
    /// The property's name.
    public var propertyName: String?
    /// The row's number.
    public var row: UInt64?
    /// The key of the entry in its table.
    public var key: [UInt8]?

    package init(
      table: String? = nil, page: UInt64? = nil, typeName: String? = nil,
      propertyName: String? = nil, row: UInt64? = nil, key: [UInt8]? = nil
    ) {
      self.table = table
      self.page = page
      self.typeName = typeName
      self.propertyName = propertyName
      self.row = row
      self.key = key
    }
  }

  /// What is wrong.
  public let kind: Kind
  /// Where it is.
  public let place: Place
  /// What was found, in words.
  public let detail: String

  package init(_ kind: Kind, _ place: Place, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }

  /// What to do about it.
  public var advice: String {
    switch kind {
    case .lostPages: "No data is lost. A compacted copy is smaller."
    case .missingIndexEntry, .wrongIndexEntry:
      "The objects are whole. Read them without the index and write them to a new store."
    case .missingInverseEntry, .wrongInverseEntry:
      "The objects are whole. Read them by their links and write them to a new store."
    case .link: "Stop writing. Restore the object that is missing from a copy of the store."
    case .notUnique: "Change one of the two objects."
    case .unownedChunk, .unownedEntry:
      "No object is affected. A new store with the same objects is smaller."
    case .log, .logMention:
      "The objects are whole. Observers that rely on the log evaluate their queries again."
    case .record, .recordVersion, .value, .largeValue, .rowNumber, .collection:
      "Stop writing. Restore the object from a copy of the store, or delete it."
    case .metaPage, .page, .pageReachedTwice, .keyOrder, .keyLength, .counts, .freePages,
      .tableOfNames, .meta, .catalog, .layout, .table, .identifier:
      "Stop writing, and restore the store from a copy."
    }
  }
}

extension VerificationFinding.Place: CustomStringConvertible {
  /// The place, from the type down to the page.
  public var description: String {
    let object = typeName.map { type in propertyName.map { "\(type).\($0)" } ?? type }
    let parts = [
      object, row.map { "row \($0)" }, table.map { "table \($0)" },
      key.map { "key \(Self.hexadecimal($0))" }, page.map { "page \($0)" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  private static func hexadecimal(_ key: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    let shown = key.prefix(32).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return shown.joined() + (key.count > 32 ? "…" : "")
  }
}

extension VerificationFinding: CustomStringConvertible {
  /// What is wrong, and where, in one line.
  public var description: String {
    let place = place.description
    return "\(kind.rawValue): \(detail)" + (place.isEmpty ? "" : " (\(place))")
  }
}

/// What ``Store/verificationReport(limit:)`` found.
public struct VerificationReport: Sendable, Hashable {
  /// The version that was looked at.
  public internal(set) var version = StoreVersion(number: 0)
  /// What is wrong, in the order in which it was found; as many as were asked for.
  public internal(set) var findings: [VerificationFinding] = []
  /// How many findings were left out.
  public internal(set) var findingsLeftOut = 0
  /// How many objects were looked at.
  public internal(set) var objects = 0
  /// How many entries of indexes were looked at.
  public internal(set) var indexEntries = 0
  /// How many links were looked at; those of one property of an object to another one count once.
  public internal(set) var links = 0
  /// How many commits of the log were looked at.
  public internal(set) var commits = 0
  /// Objects that others are meant to own, and that nobody has: to whose type only properties with the
  /// rule `cascade` lead, and to which no link does; as many as findings were asked for.
  ///
  /// They are no damage: a program that takes an object out of a list without deleting it leaves one.
  /// Types that own their own kind have no orphans: somebody is the root.
  public internal(set) var orphans: [VerificationFinding.Place] = []
  /// How many orphans were left out.
  public internal(set) var orphansLeftOut = 0

  /// Whether nothing is wrong; orphans are no damage.
  public var isClean: Bool { findings.isEmpty && findingsLeftOut == 0 }
}

extension VerificationReport: CustomStringConvertible {
  /// The findings, one a line.
  public var description: String {
    guard !isClean else {
      return
        "version \(version): \(objects) objects, \(links) links, \(indexEntries) index entries and "
        + "\(commits) commits, and nothing wrong with them"
    }
    let more = findingsLeftOut == 0 ? [] : ["and \(findingsLeftOut) more"]
    return (findings.map(\.description) + more).joined(separator: "\n")
  }
}
