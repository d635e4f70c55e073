import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Random programs over lists, sets, maps and links: every observer is told what changed, exactly, and nothing
/// else.
final class RandomGraphObservationTests: XCTestCase {
  func testRandomCommitsAreToldExactly() throws {
    try forEachSeed(50) { seed in
      let directory = try TemporaryDirectory()
      let store = try directory.store(objectTypes: [Shelf.self])
      var program = ShelfProgram(seed: seed)
      try program.begin(store)
      let watches = ShelfWatches(store).all
      for step in 0..<8 {
        let isCancelled = program.number(below: 10) == 0
        try store.write {
          try program.change(store)
          if isCancelled { try store.cancelWrite() }
        }
        check(watches, "seed \(seed), step \(step)")
      }
    }
  }

  func testRandomCommitsOfOthersAreMergedExactly() throws {
    try forEachSeed(30) { seed in
      let directory = try TemporaryDirectory()
      let store = try directory.store(objectTypes: [Shelf.self])
      let other = try directory.store(objectTypes: [Shelf.self])
      var program = ShelfProgram(seed: 10_000 + seed)
      try program.begin(store)
      let watches = ShelfWatches(store, isMerging: true).all
      for step in 0..<5 {
        for _ in 0..<program.number(below: 5) { try other.write { try program.change(other) } }
        store.refresh()
        check(watches, "seed \(seed), step \(step)")
      }
    }
  }

  func testRandomCommitsAreLeftOutExactly() throws {
    try forEachSeed(20) { seed in
      let directory = try TemporaryDirectory()
      let store = try directory.store(objectTypes: [Shelf.self])
      var program = ShelfProgram(seed: 20_000 + seed)
      try program.begin(store)
      let watches = ShelfWatches(store).all
      for step in 0..<6 {
        let silent = watches.filter { _ in program.number(below: 3) == 0 }
        let calls = silent.map(\.calls)
        let tokens = silent.compactMap(\.token)
        do {
          try store.write(withoutNotifying: tokens) {
            try program.change(store)
            if program.number(below: 8) == 0 { try store.cancelWrite() }
          }
        }
        XCTAssertEqual(silent.map(\.calls), calls, "seed \(seed), step \(step)")
        for watch in silent { watch.readAgain() }
        check(watches, "seed \(seed), step \(step)")
      }
    }
  }

  private func check(_ watches: [Watch], _ context: String) {
    for watch in watches {
      watch.checkAtRest()
      XCTAssertEqual(watch.violations, [], "\(watch.name), \(context)")
      watch.violations = []
    }
  }
}

/// Makes random commits in a store of shelves.
private struct ShelfProgram {
  private var generator: SeededGenerator
  private var nextName = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  /// The objects that are observed.
  mutating func begin(_ store: Store) throws {
    try store.write {
      let writers = try ["Ann", "Bob"].map {
        try store.add(BookWriter($0, home: Residence("home of \($0)")))
      }
      for name in ["one", "two"] {
        let shelf = try store.add(Shelf(name))
        for _ in 0..<number(below: 8) {
          shelf.books.append(Book(number(below: 5), writer: writers[number(below: 2)]))
        }
        for _ in 0..<number(below: 20) { shelf.numbers.append(number(below: 4)) }
        for book in shelf.books where number(below: 2) == 0 { shelf.picked.insert(book) }
        if let book = shelf.books.first { shelf.placed["k1"] = book }
        shelf.stickers.append(Sticker("b"))
      }
    }
  }

  /// Some changes within a write.
  mutating func change(_ store: Store) throws {
    for _ in 0...number(below: 4) { try changeOnce(store) }
  }

  private mutating func pick<C: RandomAccessCollection>(_ all: C) -> C.Element? {
    let count = all.count
    return count == 0 ? nil : all[all.index(all.startIndex, offsetBy: number(below: count))]
  }

  private mutating func changeOnce(_ store: Store) throws {
    let shelves = Array(store.objects(Shelf.self))
    let books = Array(store.objects(Book.self))
    let writers = Array(store.objects(BookWriter.self))
    switch number(below: 33) {
    case 30, 31, 32: if let shelf = pick(shelves) { changeStickers(shelf.stickers) }
    case 0:
      nextName += 1
      let writer = try store.add(
        BookWriter("\(generator.seed)-\(nextName)"), update: .modified)
      if number(below: 2) == 0 { writer.home = writers.first?.home }
    case 1 where number(below: 3) == 0: if let writer = pick(writers) { try store.delete(writer) }
    case 2 where number(below: 6) == 0: if let shelf = pick(shelves) { try store.delete(shelf) }
    case 3: if let book = pick(books) { try store.delete(book) }
    case 4:
      nextName += 1
      let shelf = try store.add(Shelf("\(generator.seed)-\(nextName)"), update: .modified)
      if let book = pick(books) { shelf.books.append(book) }
    case 5, 6: pick(books)?.value = number(below: 4)
    case 7: pick(books)?.title = pick(["", "a", "b"]) ?? ""
    case 8: pick(books)?.writer = number(below: 4) == 0 ? nil : pick(writers)
    case 9, 10: pick(writers)?.age = number(below: 3)
    case 11: pick(writers)?.home?.size = number(below: 3)
    case 12: pick(writers)?.home = number(below: 3) == 0 ? nil : Residence("new")
    case 13: if let home = pick(writers)?.home, number(below: 3) == 0 { try store.delete(home) }
    case 14...20: if let shelf = pick(shelves) { changeList(shelf.books, books) }
    case 21, 22: if let shelf = pick(shelves) { changeNumbers(shelf.numbers) }
    case 23: if let shelf = pick(shelves) { changeWords(shelf.words) }
    case 24, 25: if let shelf = pick(shelves) { changeSet(shelf.picked, books) }
    case 26, 27: if let shelf = pick(shelves) { changeMap(shelf.placed, books) }
    case 28:
      if let shelf = pick(shelves) {
        shelf.notes["k\(number(below: 4))"] = number(below: 3) == 0 ? nil : "\(number(below: 3))"
      }
    default:
      if let shelf = pick(shelves) {
        let thing: AnyValue = pick(books).map { .object($0) } ?? .none
        shelf.things.append(number(below: 2) == 0 ? thing : .int(number(below: 3)))
        if shelf.things.count > 3 { shelf.things.remove(at: number(below: 4)) }
      }
    }
  }

  private mutating func changeList(_ list: List<Book>, _ books: [Book]) {
    let count = list.count
    switch number(below: 9) {
    case 0: list.append(Book(number(below: 4)))
    case 1: if let book = pick(books) { list.insert(book, at: number(below: count + 1)) }
    case 2 where count > 0: list.remove(at: number(below: count))
    case 3, 4: if count > 0 { list.move(from: number(below: count), to: number(below: count)) }
    case 5 where count > 0: list.swapAt(number(below: count), number(below: count))
    case 6 where count > 0: if let book = pick(books) { list[number(below: count)] = book }
    case 7 where number(below: 4) == 0: list.removeAll()
    default:
      let some = books.shuffled(using: &generator).prefix(number(below: 25))
      list.append(contentsOf: some)
    }
  }

  private mutating func changeNumbers(_ list: List<Int?>) {
    let count = list.count
    switch number(below: 6) {
    case 0 where count > 0: list.remove(at: number(below: count))
    case 1 where count > 0: list.move(from: number(below: count), to: number(below: count))
    case 2 where count > 0: list[number(below: count)] = number(below: 3)
    case 3 where number(below: 4) == 0: list.removeAll()
    case 4:
      let start = number(below: count + 1)
      let end = min(count, start + number(below: 4))
      list.replaceSubrange(start..<end, with: (0..<number(below: 4)).map { _ in number(below: 3) })
    default:
      list.insert(number(below: 5) == 0 ? nil : number(below: 4), at: number(below: count + 1))
    }
  }

  private mutating func changeWords(_ list: List<String>) {
    let word = ["", "a", String(repeating: "long ", count: 300), "é", "e\u{301}"][number(below: 5)]
    let count = list.count
    switch number(below: 4) {
    case 0 where count > 0: list.remove(at: number(below: count))
    case 1 where count > 0: list.move(from: number(below: count), to: number(below: count))
    case 2 where count > 0: list[number(below: count)] = word
    default: list.append(word)
    }
  }

  private mutating func changeStickers(_ list: List<Sticker>) {
    let count = list.count
    switch number(below: 7) {
    case 0 where count > 0: list.remove(at: number(below: count))
    case 1 where count > 0: list.move(from: number(below: count), to: number(below: count))
    case 2, 3: pick(list)?.text = ["a", "b", "c"][number(below: 3)]
    case 4, 5: if let sticker = pick(list) { changeNumbers(sticker.marks) }
    default: list.insert(Sticker("\(number(below: 3))"), at: number(below: count + 1))
    }
  }

  private mutating func changeSet(_ set: MutableSet<Book>, _ books: [Book]) {
    guard let book = pick(books) else { return }
    switch number(below: 5) {
    case 0, 1: set.insert(book)
    case 2, 3: set.remove(book)
    default: set.insert(contentsOf: books.prefix(number(below: 25)))
    }
  }

  private mutating func changeMap(_ map: Map<String, Book?>, _ books: [Book]) {
    let key = "k\(number(below: 5))"
    switch number(below: 4) {
    case 0: map[key] = nil
    case 1: map[key] = .some(nil)
    default: map[key] = pick(books)
    }
  }
}

/// Observers of everything that two shelves, their books and two writers have.
private struct ShelfWatches {
  private(set) var all: [Watch] = []
  private let isMerging: Bool

  init(_ store: Store, isMerging: Bool = false) {
    self.isMerging = isMerging
    for shelf in store.objects(Shelf.self) { add(shelf) }
    for writer in store.objects(BookWriter.self) { add(writer) }
    for (position, book) in store.objects(Book.self).enumerated() where position < 3 { add(book) }
    add(store)
  }

  // MARK: What is seen

  private static func row(_ object: Object?) -> String {
    object.map { $0.isInvalidated ? "gone" : "\($0.access?.identity?.row ?? 0)" } ?? "nil"
  }

  private static func number(_ sticker: Sticker) -> UInt64 {
    (sticker.access as? EmbeddedRow)?.number ?? 0
  }

  private static func age(_ book: Book) -> String {
    "\(row(book.writer)) \(book.writer?.age ?? -1)"
  }

  private static func size(_ writer: BookWriter?) -> String {
    "\(row(writer)) \(row(writer?.home)) \(writer?.home?.size ?? -1)"
  }

  private static func whole(_ book: Book) -> String {
    "\(book.value) \(book.title) \(row(book.writer)) \(book.shelves.map { row($0) })"
  }

  private static func seen<S: Sequence>(
    _ objects: S, _ content: (S.Element) -> String
  ) -> [Seen] where S.Element: Object {
    objects.map { Seen(identity: row($0), content: content($0)) }
  }

  private static func text(_ value: AnyValue) -> String {
    if case .object(let object) = value { row(object) } else { "\(value)" }
  }

  // MARK: Observers

  private mutating func add(_ shelf: Shelf) {
    let name = shelf.name
    func list(_ path: String?, _ content: @escaping (Book) -> String) {
      let watch = CollectionWatch(
        "\(name).books \(path ?? "")", .list
      ) { Self.seen(shelf.books, content) }
      watch.token = shelf.books.observe(keyPaths: path.map { [$0] }) { [weak watch] in
        watch?.take($0)
      }
      all.append(watch)
    }
    list(nil, Self.whole)
    list("value", { "\($0.value)" })
    list("writer.age", Self.age)
    list("writer.home.size", { Self.size($0.writer) })
    let numbers = CollectionWatch("\(name).numbers", .list) {
      shelf.numbers.map { Seen(identity: "\($0 ?? -1)", content: "") }
    }
    numbers.token = shelf.numbers.observe { [weak numbers] in numbers?.take($0) }
    let words = CollectionWatch("\(name).words", .list) {
      shelf.words.map { Seen(identity: "\(Array($0.utf8))", content: "") }
    }
    words.token = shelf.words.observe { [weak words] in words?.take($0) }
    let picked = CollectionWatch("\(name).picked", .ordered) {
      Self.seen(shelf.picked, Self.whole)
    }
    picked.token = shelf.picked.observe { [weak picked] in picked?.take($0) }
    let titled = CollectionWatch("\(name).picked title", .ordered) {
      Self.seen(shelf.picked, \.title)
    }
    titled.token = shelf.picked.observe(keyPaths: ["title"]) { [weak titled] in titled?.take($0) }
    let things = CollectionWatch("\(name).things", .list) {
      shelf.things.map { thing in
        if case .object(let object) = thing, let book = object as? Book {
          return Seen(identity: Self.row(book), content: Self.whole(book))
        }
        return Seen(identity: "\(thing)", content: "")
      }
    }
    things.token = shelf.things.observe { [weak things] in things?.take($0) }
    let placed = MapWatch("\(name).placed") {
      let entries = shelf.placed.map { entry in
        (entry.key, entry.value.flatMap { $0 }.map { "\(Self.row($0)) \(Self.age($0))" } ?? "nil")
      }
      return Dictionary(uniqueKeysWithValues: entries)
    }
    placed.token = shelf.placed.observe(keyPaths: ["writer.age"]) { [weak placed] in
      placed?.take($0)
    }
    let notes = MapWatch("\(name).notes") {
      Dictionary(uniqueKeysWithValues: shelf.notes.map { ($0.key, $0.value ?? "nil") })
    }
    notes.token = shelf.notes.observe { [weak notes] in notes?.take($0) }
    all += [numbers, words, picked, titled, things, placed, notes]
    addResults(shelf, name)
    addStickers(shelf, name)
    addObject(shelf, name)
  }

  private mutating func add<Element>(
    _ name: String, _ results: Results<Element>, _ keyPaths: [String]? = nil,
    isLenient: Bool = false, reading read: @escaping () -> [Seen]
  ) {
    let watch = CollectionWatch(name, .list, isLenient: isLenient, reading: read)
    watch.token = results.observe(keyPaths: keyPaths) { [weak watch] in watch?.take($0) }
    all.append(watch)
  }

  /// Results of values, and of a map's objects.
  private mutating func addResults(_ shelf: Shelf, _ name: String) {
    func seen(_ numbers: [Int?]) -> [Seen] {
      numbers.map { Seen(identity: "\($0 ?? -1)", content: "") }
    }
    func sorted() -> [Int?] { shelf.numbers.sorted { $0 ?? -1 < $1 ?? -1 } }
    let numbers = shelf.numbers
    add("\(name).numbers above 0", numbers.where { $0 > 0 }) {
      seen(numbers.filter { $0 ?? 0 > 0 })
    }
    add("\(name).numbers sorted", numbers.sorted(by: \.self)) { seen(sorted()) }
    add(
      "\(name).numbers, first two", numbers.sorted(by: \.self).distinct(by: \.self).limit(2)
    ) {
      seen(
        sorted().reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.prefix(2).map(\.self))
    }
    add("\(name).words with l", shelf.words.where { $0.contains("l") }) {
      shelf.words.filter { $0.contains("l") }.map {
        Seen(identity: "\(Array($0.utf8))", content: "")
      }
    }
    add("\(name).placed, large", shelf.placed.where { $0.value > 1 }, ["value"]) {
      shelf.placed.compactMap { $0.value.flatMap(\.self) }.filter { $0.value > 1 }.map {
        Seen(identity: Self.row($0), content: "\($0.value)")
      }
    }
  }

  /// Embedded objects, and what they hold.
  private mutating func addStickers(_ shelf: Shelf, _ name: String) {
    func seen(_ stickers: [Sticker], _ content: (Sticker) -> String) -> [Seen] {
      stickers.map {
        Seen(identity: "\(Self.number($0))", content: content($0))
      }
    }
    let stickers = shelf.stickers
    func add(_ path: String?, _ content: @escaping (Sticker) -> String) {
      let watch = CollectionWatch("\(name).stickers \(path ?? "")", .list) {
        seen(Array(stickers), content)
      }
      watch.token = stickers.observe(keyPaths: path.map { [$0] }) { [weak watch] in
        watch?.take($0)
      }
      all.append(watch)
    }
    add(nil) { "\($0.text) \(Array($0.marks))" }
    add("text", \.text)
    self.add("\(name).stickers, early", stickers.where { $0.text < "c" }.sorted(by: \.text)) {
      seen(
        stickers.filter { $0.text < "c" }.enumerated()
          .sorted { ($0.element.text, $0.offset) < ($1.element.text, $1.offset) }
          .map(\.element)
      ) { "\($0.text) \(Array($0.marks))" }
    }
    guard let sticker = stickers.first else { return }
    let marks = CollectionWatch("\(name).stickers.marks", .list) {
      sticker.marks.map { Seen(identity: "\($0 ?? -1)", content: "") }
    }
    marks.token = sticker.marks.observe { [weak marks] in marks?.take($0) }
    all.append(marks)
    self.add("\(name).stickers.marks above 0", sticker.marks.where { $0 > 0 }) {
      sticker.marks.filter { $0 ?? 0 > 0 }.map { Seen(identity: "\($0 ?? -1)", content: "") }
    }
  }

  private mutating func addObject(_ shelf: Shelf, _ name: String) {
    let whole = ObjectWatch(name) {
      if shelf.isInvalidated { return nil }
      return [
        "name": shelf.name, "books": "\(shelf.books.map { Self.row($0) })",
        "others": "\(shelf.others.map { Self.row($0) })",
        "picked": "\(shelf.picked.map { Self.row($0) })",
        "placed": "\(shelf.placed.map { ($0.key, Self.row($0.value.flatMap { $0 })) })",
        "numbers": "\(Array(shelf.numbers))", "words": "\(shelf.words.map { Array($0.utf8) })",
        "things": "\(shelf.things.map(Self.text))",
        "notes": "\(shelf.notes.map { ($0.key, $0.value) })",
        "stickers": "\(shelf.stickers.map { "\(Self.number($0)) \($0.text) \(Array($0.marks))" })",
      ]
    }
    whole.token = shelf.observe { [weak whole] in whole?.take($0) }
    let values = ObjectWatch("\(name) books.value") {
      if shelf.isInvalidated { return nil }
      return ["books": "\(shelf.books.map { [Self.row($0), "\($0.value)"] })"]
    }
    values.token = shelf.observe(keyPaths: ["books.value"]) { [weak values] in values?.take($0) }
    all += [whole, values]
  }

  private mutating func add(_ writer: BookWriter) {
    let name = writer.name
    let books = CollectionWatch("\(name).books", .ordered) {
      Self.seen(writer.books, Self.whole)
    }
    books.token = writer.books.observe { [weak books] in books?.take($0) }
    let values = CollectionWatch("\(name).books value", .ordered) {
      Self.seen(writer.books) { "\($0.value)" }
    }
    values.token = writer.books.observe(keyPaths: ["value"]) { [weak values] in values?.take($0) }
    let whole = ObjectWatch(name) {
      if writer.isInvalidated { return nil }
      return [
        "age": "\(writer.age)", "home": Self.row(writer.home),
        "books": "\(writer.books.map { Self.row($0) })",
      ]
    }
    whole.token = writer.observe { [weak whole] in whole?.take($0) }
    all += [books, values, whole]
  }

  private mutating func add(_ book: Book) {
    let whole = ObjectWatch("book \(Self.row(book))") {
      if book.isInvalidated { return nil }
      return [
        "value": "\(book.value)", "title": book.title, "writer": Self.row(book.writer),
        "shelves": "\(book.shelves.map { Self.row($0) })",
      ]
    }
    whole.token = book.observe { [weak whole] in whole?.take($0) }
    let size = ObjectWatch("book \(Self.row(book)) writer.home.size") {
      book.isInvalidated ? nil : ["writer": Self.size(book.writer)]
    }
    size.token = book.observe(keyPaths: ["writer.home.size"]) { [weak size] in size?.take($0) }
    all += [whole, size]
  }

  private mutating func add(_ store: Store) {
    func results<T: Object>(
      _ type: T.Type, _ path: String?, isLenient: Bool = false, _ content: @escaping (T) -> String
    ) {
      let results = store.objects(type)
      let watch = CollectionWatch("\(type) \(path ?? "")", .ordered, isLenient: isLenient) {
        Self.seen(store.objects(type), content)
      }
      watch.token = results.observe(keyPaths: path.map { [$0] }) { [weak watch] in watch?.take($0) }
      all.append(watch)
    }
    results(Book.self, nil, Self.whole)
    results(Book.self, "writer.age", Self.age)
    results(Book.self, "writer.home.size") { Self.size($0.writer) }
    results(Book.self, "shelves") {
      "\($0.shelves.map { Self.row($0) })"
    }
    results(Book.self, "shelves.numbers", isLenient: isMerging) {
      "\($0.shelves.map { [Self.row($0), "\(Array($0.numbers))"] })"
    }
    results(Shelf.self, "books.title", isLenient: isMerging) {
      "\($0.books.map { [Self.row($0), $0.title] })"
    }
    results(Shelf.self, "books.writer.age", isLenient: isMerging) {
      "\($0.books.map { [Self.row($0), Self.age($0)] })"
    }
    results(Shelf.self, "stickers.text") { "\($0.stickers.map(\.text))" }
    results(Shelf.self, "stickers.marks") { "\($0.stickers.map { Array($0.marks) })" }
    results(BookWriter.self, "books.value") {
      "\($0.books.map { [Self.row($0), "\($0.value)"] })"
    }
  }
}
