import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Programs with other models of objects that lead to each other, on one store.
final class GraphModelChangeTests: StoreTestCase {
  /// Knows contacts and nothing that leads to them.
  private enum Old {
    final class Contact: Object {
      @Persisted(primaryKey: true) var identifier: Int
      @Persisted var name: String
    }
  }

  private enum New {
    final class Contact: Object {
      @Persisted(primaryKey: true) var identifier: Int
      @Persisted var name: String
      @Persisted var best: Contact?
      @Persisted var friends: List<Contact>
      @Persisted(deleteRule: .cascade) var letters: List<Letter>
      @Persisted(originProperty: "best") var fans: LinkingObjects<Contact>
      @Persisted(originProperty: "members") var groups: LinkingObjects<Group>
    }
    final class Letter: Object {
      @Persisted var text: String
      @Persisted(originProperty: "letters") var owners: LinkingObjects<Contact>
    }
    final class Group: Object {
      @Persisted(primaryKey: true) var name: String
      @Persisted var members: MutableSet<Contact>
      @Persisted var posts: Map<String, Contact?>
      @Persisted var seats: List<Seat>
      @Persisted var guest: AnyValue
      @Persisted var guests: List<AnyValue>
      @Persisted(indexed: true) var rank: Int
    }
    final class Seat: EmbeddedObject {
      @Persisted var number: Int
      @Persisted var contact: Contact?
    }
  }

  private func open(_ types: Object.Type...) throws -> Store {
    try temporaryDirectory().store(objectTypes: types)
  }

  /// Contacts that everything leads to, long texts and long lists among it.
  @discardableResult
  private func fill() throws -> Store {
    let store = try open(New.Group.self)
    try store.write {
      let contacts = (0..<30).map { number in
        let contact = New.Contact()
        contact.identifier = number
        contact.name = "contact \(number)"
        return contact
      }
      for (number, contact) in contacts.enumerated() {
        contact.best = contacts[(number + 1) % 30]
        contact.friends.append(contentsOf: contacts + contacts)
        for letter in 0..<3 {
          let new = New.Letter()
          new.text = String(repeating: "letter \(letter) ", count: 300)
          contact.letters.append(new)
        }
      }
      for number in 0..<2 {
        let group = New.Group()
        group.name = "group \(number)"
        group.members.insert(contentsOf: contacts)
        for (number, contact) in contacts.enumerated() {
          group.posts["post \(number)"] = contact
          let seat = New.Seat()
          seat.number = number
          seat.contact = contact
          group.seats.append(seat)
        }
        group.guest = .object(contacts[3])
        group.guests.append(contentsOf: [
          .object(contacts[3]), .string(String(repeating: "guest ", count: 100)),
          .object(contacts[4]),
        ])
        try store.add(group)
      }
    }
    return store
  }

  func testWhoKnowsNoLinksDeletesAndLeavesNoneThatLeadsNowhere() throws {
    let new = try fill()
    let old = try open(Old.Contact.self)
    let letters = new.objects(New.Letter.self).count

    try old.write {
      try old.delete(try XCTUnwrap(old.object(ofType: Old.Contact.self, forPrimaryKey: 3)))
    }

    new.refresh()
    XCTAssertEqual(try new.verificationReport().findings.map(\.description), [])
    XCTAssertEqual(new.objects(New.Letter.self).count, letters - 3)
    for contact in new.objects(New.Contact.self) {
      XCTAssertEqual(contact.friends.count, 58)
      XCTAssertEqual(contact.best == nil, contact.identifier == 2)
      XCTAssertEqual(contact.groups.count, 2)
    }
    for group in new.objects(New.Group.self) {
      XCTAssertEqual(group.members.map(\.identifier), (0..<30).filter { $0 != 3 })
      XCTAssertEqual(group.posts.count, 30)
      XCTAssertNil(group.posts["post 3"] ?? nil)
      XCTAssertEqual(group.seats.count, 30)
      XCTAssertEqual(group.guest, .none)
      XCTAssertEqual(group.guests.count, 2)
    }
    try old.write { try old.deleteAll() }
    new.refresh()
    XCTAssertEqual(new.objects(New.Letter.self).count, 0)
    XCTAssertEqual(new.objects(New.Group.self).map(\.members.count), [0, 0])
    XCTAssertEqual(try new.verificationReport().findings.map(\.description), [])
  }

  func testOlderAndNewerProgramsTakeTurns() throws {
    try fill().close()
    for turn in 0..<10 {
      let old = try open(Old.Contact.self)
      try old.write {
        for contact in old.objects(Old.Contact.self) { contact.name += "." }
        if let gone = old.object(ofType: Old.Contact.self, forPrimaryKey: turn * 2) {
          try old.delete(gone)
        }
        let contact = Old.Contact()
        contact.identifier = 100 + turn
        try old.add(contact)
      }
      let generation = old.session.core.catalog.generation
      old.close()
      let new = try open(New.Group.self)
      XCTAssertEqual(new.session.core.catalog.generation, generation, "nothing is made again")
      try new.write {
        let contact = new.object(ofType: New.Contact.self, forPrimaryKey: 100 + turn)
        try XCTUnwrap(contact).best = new.objects(New.Contact.self).first
        for group in new.objects(New.Group.self) { group.members.insert(try XCTUnwrap(contact)) }
      }
      XCTAssertEqual(try new.verificationReport().findings.map(\.description), [])
      new.close()
    }
    let new = try open(New.Group.self)
    XCTAssertEqual(new.objects(New.Group.self).map(\.members.count), [30, 30])
    XCTAssertEqual(new.objects(New.Contact.self).first?.friends.count, 40)
  }

  // MARK: What needs a migration

  private enum First {
    final class Book: Object {
      @Persisted var pages: List<Page>
      @Persisted var cover: Page?
      @Persisted var words: MutableSet<String>
      @Persisted var tags: Map<String, Int>
    }
    final class Page: Object {
      @Persisted var text: String
    }
  }

  private enum Additions {
    final class Book: Object {
      @Persisted(deleteRule: .cascade) var pages: List<Page>
      @Persisted(deleteRule: .deny) var cover: Page?
      @Persisted var words: MutableSet<String?>
      @Persisted var tags: Map<String, Int?>
      @Persisted var notes: List<String>
      @Persisted var marks: MutableSet<Page>
    }
    final class Page: Object {
      @Persisted var text: String
      @Persisted(originProperty: "pages") var books: LinkingObjects<Book>
      @Persisted(originProperty: "cover") var covered: LinkingObjects<Book>
    }
  }

  private enum Wrong {
    final class Book: Object {
      @Persisted var pages: MutableSet<Page>
      @Persisted var cover: Sheet?
      @Persisted var words: MutableSet<Int>
      @Persisted var tags: List<Int>
    }
    final class Page: Object {
      @Persisted var text: String
    }
    final class Sheet: Object {
      @Persisted var text: String
    }
  }

  private func fillBooks() throws {
    let store = try open(First.Book.self)
    try store.write {
      let book = First.Book()
      for number in 0..<40 {
        let page = First.Page()
        page.text = "page \(number)"
        book.pages.append(page)
      }
      book.cover = First.Page()
      book.words.insert(contentsOf: (0..<40).map { "word \($0)" })
      book.tags["one"] = 1
      try store.add(book)
    }
    store.close()
  }

  func testAdditionsNeedNoMigration() throws {
    try fillBooks()
    let store = try open(Additions.Book.self)
    let book = try XCTUnwrap(store.objects(Additions.Book.self).first)
    let pages = store.objects(Additions.Page.self)
    XCTAssertEqual(pages.map(\.books.count).reduce(0, +), 40)
    XCTAssertEqual(pages.map(\.covered.count).reduce(0, +), 1)
    XCTAssertEqual(book.words.count, 40)
    XCTAssertTrue(book.words.contains("word 7"))
    XCTAssertEqual(book.tags["one"], 1)
    XCTAssertEqual(book.notes.count, 0)
    try store.write {
      book.words.insert(nil)
      book.words.insert("word 7")
      book.words.remove("word 8")
      book.tags["two"] = .some(nil)
      book.notes.append("a")
      book.marks.insert(pages[3])
    }
    XCTAssertEqual(book.words.count, 40)
    XCTAssertEqual(try store.verificationReport().findings.map(\.description), [])
    XCTAssertThrowsError(try store.write { try store.delete(book) }) { error in
      guard case StoreError.deleteDenied = error else { return XCTFail("\(error)") }
    }
    try store.write {
      book.cover = nil
      try store.delete(book)
    }
    XCTAssertEqual(pages.count, 1)
    XCTAssertEqual(try store.verificationReport().findings.map(\.description), [])
  }

  /// Knows the same books as the first model, and what must not be deleted.
  private enum Strict {
    final class Book: Object {
      @Persisted(deleteRule: .cascade) var pages: List<Page>
      @Persisted(deleteRule: .deny) var cover: Page?
    }
    final class Page: Object {
      @Persisted var text: String
    }
  }

  func testTheDeleteRulesOfTheProgramThatOpenedLastHold() throws {
    try fillBooks()
    let store = try open(Strict.Book.self)
    let book = try XCTUnwrap(store.objects(Strict.Book.self).first)
    XCTAssertThrowsError(try store.write { try store.delete(book) })
    let version = store.version
    try open(First.Book.self).close()
    XCTAssertGreaterThan(store.version, version)
    XCTAssertThrowsError(
      try store.write {
        try store.delete(book)
        XCTAssertEqual(store.objects(Strict.Page.self).count, 41)
        throw CancellationError()
      }
    ) { XCTAssertTrue($0 is CancellationError, "\($0)") }
    try open(Strict.Book.self).close()
    XCTAssertThrowsError(try store.write { try store.delete(book) })
    XCTAssertEqual(store.objects(Strict.Page.self).count, 41)
  }

  func testOtherKindsAndTargetsAreNamed() throws {
    try fillBooks()
    XCTAssertThrowsError(try open(Wrong.Book.self)) { error in
      guard case StoreError.schemaMismatch(let differences) = error else {
        return XCTFail("\(error)")
      }
      let texts = Set(differences.map { "\($0.propertyName) \($0.difference)" })
      XCTAssertEqual(
        texts,
        [
          "pages is list of link to Page in the store and set of link to Page in the model",
          "cover is link to Page in the store and link to Sheet in the model",
          "words is set of string in the store and set of int in the model",
          "tags is map of int in the store and list of int in the model",
        ])
    }
    let store = try open(First.Book.self)
    XCTAssertEqual(store.objects(First.Book.self).first?.pages.count, 40)
  }

  // MARK: Removing what no model names

  func testTypesThatLeadToOthersAreRemovedWithTheirLinks() throws {
    try fill().close()
    let old = try open(Old.Contact.self)
    XCTAssertTrue(try old.compact(removingUnused: true))

    XCTAssertEqual(try old.verificationReport().findings.map(\.description), [])
    XCTAssertEqual(old.objects(Old.Contact.self).count, 30)
    for table in ["lists", "inverse", "large"] {
      try old.change { write in
        XCTAssertEqual(try write.keys(of: write.makeTable(named: table)).count, 0, table)
      }
    }
    try old.write { try old.deleteAll() }
    old.close()
    let new = try open(New.Group.self)
    XCTAssertEqual(new.objects(New.Group.self).count, 0)
    new.close()
    let again = try fill()
    XCTAssertEqual(again.objects(New.Contact.self).first?.groups.count, 2)
    XCTAssertEqual(try again.verificationReport().findings.map(\.description), [])
  }

  private enum Half {
    final class Contact: Object {
      @Persisted(primaryKey: true) var identifier: Int
      @Persisted var friends: List<Contact>
    }
    final class Group: Object {
      @Persisted(primaryKey: true) var name: String
      @Persisted var posts: Map<String, Contact?>
      @Persisted var guest: AnyValue
      @Persisted var guests: List<AnyValue>
    }
  }

  func testPropertiesThatLeadToOthersAreRemovedWithTheirLinks() throws {
    try fill().close()
    let half = try open(Half.Group.self)
    let links = try half.verificationReport().links
    XCTAssertTrue(try half.compact(removingUnused: true))

    let report = try half.verificationReport()
    XCTAssertEqual(report.findings.map(\.description), [])
    // Of each contact its friends; of each group its posts and its guests.
    XCTAssertEqual(report.links, 30 * 30 + 2 * (30 + 1 + 2))
    XCTAssertLessThan(report.links, links)
    let contact = try XCTUnwrap(half.object(ofType: Half.Contact.self, forPrimaryKey: 3))
    try half.write { try half.delete(contact) }
    let group = try XCTUnwrap(half.objects(Half.Group.self).first)
    XCTAssertEqual(group.guest, .none)
    XCTAssertEqual(group.guests.count, 2)
    XCTAssertEqual(try half.verificationReport().findings.map(\.description), [])
    half.close()
    let new = try open(New.Group.self)
    XCTAssertEqual(new.objects(New.Group.self).first?.members.count, 0)
    XCTAssertEqual(new.objects(New.Group.self).first?.seats.count, 0)
    XCTAssertEqual(try new.verificationReport().findings.map(\.description), [])
  }

  private enum Anything {
    final class Box: Object {
      @Persisted var content: AnyValue
    }
    final class Thing: Object {
      @Persisted var name: String
      @Persisted var part: Part?
    }
    final class Part: Object {
      @Persisted var name: String
    }
    final class Rest: Object {
      @Persisted var name: String
    }
  }

  func testWhatAnyValuesLeadToStays() throws {
    let types: [Object.Type] = [Anything.Box.self, Anything.Thing.self, Anything.Rest.self]
    let all = try temporaryDirectory().store(objectTypes: types)
    try all.write {
      let thing = Anything.Thing()
      thing.name = "thing"
      thing.part = Anything.Part()
      let box = Anything.Box()
      box.content = .object(thing)
      try all.add(box)
      try all.add(Anything.Rest())
    }
    all.close()
    let boxes = try open(Anything.Box.self)
    XCTAssertTrue(try boxes.compact(removingUnused: true))
    XCTAssertEqual(try boxes.verificationReport().findings.map(\.description), [])
    boxes.close()
    let again = try temporaryDirectory().store(objectTypes: types)
    XCTAssertEqual(again.objects(Anything.Rest.self).count, 0)
    XCTAssertEqual(again.objects(Anything.Part.self).count, 1)
    guard case .object(let thing) = again.objects(Anything.Box.self).first?.content else {
      return XCTFail("the any-value lost its object")
    }
    XCTAssertEqual((thing as? Anything.Thing)?.name, "thing")
  }
}
