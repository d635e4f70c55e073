public import Leyden

/// A program from before the newer one's properties and indexes existed.
public enum OlderProgram {
  /// What both programs keep.
  public final class Contact: Object {
    /// Identifies the contact.
    @Persisted(primaryKey: true) public var identifier: Int
    /// The contact's name.
    @Persisted public var name: String = ""
    /// Counted by the older program.
    @Persisted public var visits: Int

    override public class var storedName: String { "Contact" }
  }

  /// Adds a contact and counts a visit of all.
  public static func takeTurn(_ number: Int, in store: Store) throws {
    try store.write {
      let contact = Contact()
      contact.identifier = number
      contact.name = "older \(number)"
      try store.add(contact)
      for contact in store.objects(Contact.self) { contact.visits += 1 }
    }
  }
}

/// A program that knows more of the same contacts.
public enum NewerProgram {
  /// What both programs keep, and more.
  public final class Contact: Object {
    /// Identifies the contact.
    @Persisted(primaryKey: true) public var identifier: Int
    /// The contact's name.
    @Persisted(indexed: true, index: .caseInsensitive) public var name: String = ""
    /// Counted by the older program.
    @Persisted public var visits: Int
    /// Given by the newer program.
    @Persisted(unique: true) public var email: String?
    /// Raised by the newer program.
    @Persisted(indexed: true) public var rating: Double = 1.5
    /// Written by the newer program, too long for a record.
    @Persisted public var history: String = "new"

    override public class var storedName: String { "Contact" }
  }

  /// Adds a contact, raises the rating of all, and fills in what the older program cannot.
  public static func takeTurn(_ number: Int, in store: Store) throws {
    try store.write {
      let contact = Contact()
      contact.identifier = number
      contact.name = "newer \(number)"
      contact.history = String(repeating: "\(number) ", count: 1_000)
      try store.add(contact)
      for contact in store.objects(Contact.self) {
        contact.rating += 0.5
        if contact.email == nil { contact.email = "\(contact.identifier)@example.org" }
      }
    }
  }
}
