public import Foundation

/// Names an object for good: its store, its type there, and its row.
///
///     let identifier = try store.write { try store.add(note).persistentIdentifier }
///     let note = store.object(for: identifier, as: StoredNote.self)
///
/// It can be passed between threads, kept in a file as a text, and sent to another process that
/// opens the same store. A row's number is never given to another row, so that an identifier whose
/// object was deleted names nothing for ever. The identifier of an object that was not added yet is
/// temporary: it tells unmanaged objects apart, and resolves to nothing.
public struct PersistentIdentifier: Sendable, Hashable {
  private enum Place: Hashable {
    case row(store: UUID, number: UInt64)
    case temporary(UUID)
  }

  private let place: Place
  /// The name that the store knows the type by.
  public let typeName: String

  /// Names a row.
  package init(row: UInt64, in store: UUID, typeName: String) {
    place = .row(store: store, number: row)
    self.typeName = typeName
  }

  init(temporary: UUID, typeName: String) {
    place = .temporary(temporary)
    self.typeName = typeName
  }

  /// Whether the object had not been added to a store when it was asked.
  public var isTemporary: Bool {
    if case .temporary = place { true } else { false }
  }

  /// The row that is named, or `nil` where it is one of another store, or none.
  package func row(in store: UUID) -> UInt64? {
    guard case .row(store, let number) = place else { return nil }
    return number
  }
}

// MARK: As a text

extension PersistentIdentifier {
  private static let scheme = "leyden"

  /// The identifier as a text: `leyden://<store>/StoredNote/p4`, or `leyden:///StoredNote/t<number>`
  /// for a temporary one.
  ///
  /// ``init(uri:)`` reads it back.
  public var uriRepresentation: URL {
    let (host, last) =
      switch place {
      case .row(let store, let number): (store.uuidString, "p\(number)")
      case .temporary(let number): ("", "t\(number.uuidString)")
      }
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;:"))
    let name = typeName.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    guard let url = URL(string: "\(Self.scheme)://\(host)/\(name)/\(last)") else {
      preconditionFailure("\(typeName) cannot be part of a URI")
    }
    return url
  }

  /// Reads what ``uriRepresentation`` printed; `nil` for anything else.
  public init?(uri: URL) {
    guard let parts = URLComponents(url: uri, resolvingAgainstBaseURL: true),
      parts.scheme?.lowercased() == Self.scheme, parts.query == nil, parts.fragment == nil
    else { return nil }
    let path = parts.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: false)
    guard path.count == 3, path[0].isEmpty, let name = String(path[1]).removingPercentEncoding,
      !name.isEmpty
    else { return nil }
    let host = parts.host ?? ""
    let number = path[2].dropFirst()
    switch path[2].first {
    case "p":
      guard let store = UUID(uuidString: host), let row = UInt64(number), "\(row)" == number else {
        return nil
      }
      place = .row(store: store, number: row)
    case "t":
      guard host.isEmpty, let number = UUID(uuidString: String(number)) else { return nil }
      place = .temporary(number)
    default: return nil
    }
    typeName = name
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  /// The text of ``uriRepresentation``.
  public var description: String { uriRepresentation.absoluteString }
}

extension PersistentIdentifier: Codable {
  /// Writes the text of ``uriRepresentation``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Reads the text of ``uriRepresentation``.
  ///
  /// - Throws: `DecodingError.dataCorrupted` where the text is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let uri = URL(string: text), let identifier = PersistentIdentifier(uri: uri) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text) is not the URI of a persistent identifier")
    }
    self = identifier
  }
}

// MARK: Of an object

extension ObjectMembers {
  /// What names the object for good; temporary, and resolving to nothing, until it was added.
  ///
  /// An unmanaged object keeps its temporary identifier for as long as it is unmanaged.
  public var persistentIdentifier: PersistentIdentifier {
    let name = modelType.name
    if let identity = access?.identity {
      return PersistentIdentifier(row: identity.row, in: identity.store, typeName: name)
    }
    return PersistentIdentifier(
      temporary: TemporaryIdentifiers.identifier(of: self), typeName: name)
  }
}

/// The identifiers of unmanaged objects that somebody asked for.
///
/// Beside the objects, because few are ever asked: a property would make every object larger.
private enum TemporaryIdentifiers {
  private struct Entry {
    weak var object: Object?
    let identifier: UUID
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var limit = 64
  }

  private static let state = Locked(State())

  static func identifier(of object: Object) -> UUID {
    let key = ObjectIdentifier(object)
    return state.withLock { state in
      // The address may have belonged to an object that is gone.
      if let known = state.entries[key], known.object === object { return known.identifier }
      let entry = Entry(object: object, identifier: UUID())
      state.entries[key] = entry
      if state.entries.count > state.limit {
        state.entries = state.entries.filter { $0.value.object != nil }
        state.limit = max(64, 2 * state.entries.count)
      }
      return entry.identifier
    }
  }
}
