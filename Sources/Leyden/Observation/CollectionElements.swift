import LeydenStorage

/// What a collection held at one version, as numbers that are compared fast.
struct CollectionElements: Equatable {
  /// What tells one element from others: its value, the row of an object, an embedded object's own number, a
  /// map's key.
  var identities: [Int] = []
  /// What stands under each key of a map, and the contents of each embedded object; empty where an element has
  /// nothing but its identity.
  var contents: [Int] = []
  /// The keys of a map.
  var keys: [String] = []

  /// The elements at some positions, in the order of these.
  func selecting(_ positions: [Int]) -> CollectionElements {
    CollectionElements(
      identities: positions.map { identities[$0] },
      contents: contents.isEmpty ? [] : positions.map { contents[$0] },
      keys: keys.isEmpty ? [] : positions.map { keys[$0] })
  }

  /// Whether two positions hold different contents under one identity.
  func differs(at position: Int, from other: CollectionElements, at place: Int) -> Bool {
    !contents.isEmpty && contents[position] != other.contents[place]
  }

  /// The number of the value at a position: of a map under its key.
  func value(at position: Int) -> Int {
    contents.isEmpty ? identities[position] : contents[position]
  }
}

/// Gives the elements of one collection their numbers: one value has the same one for as long as this lives.
///
/// Whole numbers, dates and the like are their own number, and links that of their row; others are numbered as
/// they come.
struct ElementNumbering {
  /// The number of null among links, of which none has it.
  private static let noRow = 0

  private var numbers: [[UInt8]: Int] = [:]
  private var next = 1
  /// The objects that values of any type lead to.
  private(set) var references: [Int: ObjectReference] = [:]

  /// Reads a collection's elements.
  mutating func elements(
    of reader: CollectionReader, _ contents: ElementContents = .all
  ) throws(StorageError) -> CollectionElements {
    var elements = CollectionElements()
    elements.identities.reserveCapacity(try reader.count())
    let isMap = reader.property.type == .map
    let isEmbedded = reader.property.element == .embedded
    try reader.forEachStored { (key, element) throws(StorageError) in
      let value =
        if let observed = try contents.values(of: element, reader) {
          number(of: [4] + observed.flatMap(Self.bytes))
        } else {
          try number(of: element, reader)
        }
      if isMap {
        elements.keys.append(String(decoding: key, as: UTF8.self))
        elements.identities.append(number(ofKey: key))
        elements.contents.append(value)
      } else if isEmbedded {
        elements.identities.append(try Self.identity(of: element, reader))
        elements.contents.append(value)
      } else {
        elements.identities.append(value)
      }
    }
    forgetOthers(than: elements)
    return elements
  }

  private mutating func number(
    of element: ElementsView.Element, _ reader: CollectionReader
  ) throws(StorageError) -> Int {
    let coding = ElementCoding(reader.property)
    switch element {
    case .null: return coding.type == .link ? Self.noRow : number(of: [1])
    case .bytes(let bytes):
      if coding.width == 8, coding.type == .link || !coding.isOptional {
        return unsafe Int(
          truncatingIfNeeded: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
      }
      let number = unsafe number(of: [2] + bytes)
      if coding.type == .anyValue, references[number] == nil,
        case .object(let reference) = try coding.value(element, in: reader.transaction)
      {
        references[number] = reference
      }
      return number
    case .large(let reference):
      // Where it is stored says nothing; length and checksum say that it is the same.
      let sizes = [reference.total, UInt64(reference.checksum)]
      return number(of: [3] + sizes.flatMap { unsafe withUnsafeBytes(of: $0) { unsafe Array($0) } })
    }
  }

  /// The bytes of one of several values, as it is stored: a not-a-number is the same as itself.
  private static func bytes(of value: StoredValue) -> [UInt8] {
    var bytes = AnyValueCoding.encode(value)
    if case .structure(let own) = value { bytes = own }
    return unsafe withUnsafeBytes(of: UInt64(bytes.count)) { unsafe Array($0) } + bytes
  }

  /// Two spellings of a text are one key.
  private mutating func number(ofKey text: [UInt8]) -> Int {
    var key = KeyEncoder(capacity: 64)
    unsafe text.withUnsafeBytes { unsafe key.append(utf8: $0, terminated: false) }
    return number(of: [0] + key.bytes)
  }

  private mutating func number(of bytes: [UInt8]) -> Int {
    if let known = numbers[bytes] { return known }
    defer { next += 1 }
    numbers[bytes] = next
    return next
  }

  private static func identity(
    of element: ElementsView.Element, _ reader: CollectionReader
  ) throws(StorageError) -> Int {
    guard
      case .structure(let bytes) = try ElementCoding(reader.property).value(
        element, in: reader.transaction)
    else { return noRow }
    return Int(truncatingIfNeeded: embeddedNumber(of: bytes))
  }

  /// Lets go of values that have not been there for long.
  private mutating func forgetOthers(than elements: CollectionElements) {
    guard numbers.count > 64 + 4 * elements.identities.count else { return }
    let used = Set(elements.identities).union(elements.contents)
    numbers = numbers.filter { used.contains($0.value) }
    references = references.filter { used.contains($0.key) }
  }
}

/// What of embedded elements an observer wants to hear of: their contents, as far as it observes them.
struct ElementContents {
  /// Reads what each observed path leads to; `nil` where all contents count, or there are none.
  private let read: [(StoredValue, Transaction) throws(StorageError) -> StoredValue]?
  /// Whether a path leads to other objects, through a link.
  let asksForOthers: Bool

  /// All contents.
  static var all: ElementContents { ElementContents(read: nil, asksForOthers: false) }

  private init(
    read: [(StoredValue, Transaction) throws(StorageError) -> StoredValue]?, asksForOthers: Bool
  ) {
    self.read = read
    self.asksForOthers = asksForOthers
  }

  init(_ query: ElementQuery, _ filter: ObservedProperties, _ session: Session) {
    guard case .paths(let paths) = filter, let reader = query.reader(session),
      reader.target?.model.isEmbedded == true
    else {
      read = nil
      asksForOthers = false
      return
    }
    let observed = paths.flatMap { [$0.upToCollection] + $0.links }
    read = observed.map { reader.values(of: Route($0)) }
    asksForOthers = observed.contains { path in
      path.columns.dropLast().contains { $0.target is Object.Type }
    }
  }

  /// What of an element is observed; `nil` where that is all.
  func values(
    of element: ElementsView.Element, _ reader: CollectionReader
  ) throws(StorageError) -> [StoredValue]? {
    guard let read else { return nil }
    let value = try ElementCoding(reader.property).value(element, in: reader.transaction)
    return try read.map { (read) throws(StorageError) in try read(value, reader.transaction) }
  }
}
