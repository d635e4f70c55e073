import NotesKit

/// One delivery: what the notes are, or what became of them since the last one.
///
/// A value, so that the thread that owns the store can hand it to the one that owns the screen.
struct NoteChange: Sendable {
  /// A note and its position after the change.
  struct Placed: Sendable {
    let position: Int
    let note: Note
  }

  /// A note that was edited and kept its place among the others.
  struct Modified: Sendable {
    let positionBefore: Int
    let position: Int
    let note: Note
  }

  /// A note that changed its place: positions before and after.
  struct Move: Sendable {
    let from: Int
    let to: Int
  }

  /// Whether this is the first delivery: `insertions` are then all notes.
  var isInitial = false
  /// Positions before the change, ascending; those of moved notes are among them.
  var deletions: [Int] = []
  /// Ascending; moved notes are among them.
  var insertions: [Placed] = []
  /// Ascending.
  var modifications: [Modified] = []
  /// Which deletion and which insertion are the same note.
  var moves: [Move] = []
}

extension NoteChange {
  /// Makes the change that turns nothing into `notes`.
  init(initial notes: [Note]) {
    self.init()
    isInitial = true
    insertions = notes.enumerated().map { Placed(position: $0.offset, note: $0.element) }
  }

  /// Makes a change from positions, with `noteAt` reading the note at a position after it.
  ///
  /// The `identifiers` are those of the notes before the change; they are brought up to date.
  init(
    deletions: [Int], insertions: [Int], modifications: [Int],
    identifiers: inout [String], noteAt: (Int) -> Note
  ) {
    self.init()
    self.deletions = deletions
    self.insertions = insertions.map { Placed(position: $0, note: noteAt($0)) }
    self.modifications = modifications.map { before in
      let after = Self.position(of: before, deletions: deletions, insertions: insertions)
      return Modified(positionBefore: before, position: after, note: noteAt(after))
    }
    let origins = Dictionary(deletions.map { (identifiers[$0], $0) }) { first, _ in first }
    moves = self.insertions.compactMap { placed in
      origins[placed.note.identifier].map { Move(from: $0, to: placed.position) }
    }
    apply(to: &identifiers) { $0.identifier }
  }

  /// Applies the change to a list that mirrors the notes.
  func apply<Element>(to list: inout [Element], _ element: (Note) -> Element) {
    if isInitial { list = [] }
    for position in deletions.reversed() { list.remove(at: position) }
    for placed in insertions { list.insert(element(placed.note), at: placed.position) }
    for modified in modifications { list[modified.position] = element(modified.note) }
  }

  /// Where a note that was neither deleted nor moved stands after the change.
  private static func position(of before: Int, deletions: [Int], insertions: [Int]) -> Int {
    var position = before - deletions.count { $0 < before }
    for insertion in insertions where insertion <= position { position += 1 }
    return position
  }
}
