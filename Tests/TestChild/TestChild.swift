import Foundation
import Leyden
import TestSupport

/// The other process of the tests: does what its arguments say, and tells in lines what happened.
///
///     leyden-test-child write SEED COUNT PATH     random commits; the number of each as it returns
///     leyden-test-child deal SEED COUNT PATH      random commits of lists, sets and maps
///     leyden-test-child sail PATH                 changes ships and harbors as lines of input say
///     leyden-test-child observe ORDER PATH        each change of the cards, until one is called "end"
///     leyden-test-child follow PATH               observes in several ways; each version it is told of
///     leyden-test-child turns PATH                takes turns with others until 100 were taken
///     leyden-test-child edit PATH                 one commit for each line of input
///     leyden-test-child hold PATH                 stays in a write until its input ends
///     leyden-test-child read PATH                 reads one version until its input ends
///     leyden-test-child rows COUNT PATH           adds and rolls back; the numbers of the rows
///     leyden-test-child count PATH                how many cards there are
///     leyden-test-child fill PATH                 writes until its files may not grow, and goes on
///     leyden-test-child digests PATH              the digest of each card; fails where one is damaged
///     leyden-test-child open-as-nobody PATH       the error of a user without rights
///     leyden-test-child mistake WHICH PATH        a mistake that stops the program
///     leyden-test-child take-turn PROGRAM NUMBER PATH   what an older or a newer program does
///     leyden-test-child memory NAME PATH          holds a store in memory until its input ends
///     leyden-test-child default PATH              writes to the default store, and says where it is
///     leyden-test-child ordered PATH              titles in order, and which cards a day holds
///     leyden-test-child await COUNT PATH          waits for commits; what a wait without any cost
///     leyden-test-child mutants SEED FIRST END PATH   opens, verifies and reads changed copies
///     leyden-test-child end HOW PATH              comes to its end in some state
///     leyden-test-child compact PATH              compacts until it is killed
///     leyden-test-child compact-once PATH         compacts, and says what came of it
///     leyden-test-child copy TARGET PATH          copies and deletes the copy until it is killed
///     leyden-test-child same-ranks PATH           gives all cards another rank, again and again
///     leyden-test-child read-as-nobody WAY PATH   reads without rights, and again for each line of input
///     leyden-test-child read-once WAY PATH        reads, and tries to write
///     leyden-test-child grow NAME COUNT LAST PATH   adds large cards, and dies in the write of one
///     leyden-test-child hear COUNT PATH           says when it was told of so many new cards
///     leyden-test-child meet SCRIPT PATH          what comes of system calls that fail
///     leyden-test-child full-disk PATH            what comes of copying and compacting on a full disk
@main
enum TestChild {
  static func main() async {
    do { try await run() } catch {
      try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let role = arguments.first, let path = arguments.last, arguments.count > 1 else {
      exit(64)
    }
    let options = Array(arguments.dropFirst().dropLast())
    switch (role, options.first) {
    case ("write", let seed?):
      try Writing.write(
        seed: UInt64(seed) ?? 0, count: Int(options.last ?? "") ?? .max, to: open(path))
    case ("deal", let seed?):
      try Dealing.deal(
        seed: UInt64(seed) ?? 0, count: Int(options.last ?? "") ?? 0,
        in: open(path, .unsafe, Deck.self))
    case ("sail", nil): try Sailing.sail(open(path, .unsafe, Ship.self))
    case ("observe", let order?): try Observing.observe(open(path), order: order)
    case ("follow", nil): try Observing.follow(open(path))
    case ("turns", nil): try Writing.takeTurns(in: open(path))
    case ("edit", nil): try Writing.edit(open(path))
    case ("hold", nil): try Writing.hold(open(path))
    case ("rows", let count?): try Writing.rollBack(rows: Int(count) ?? 0, in: open(path))
    case ("read", nil): try Observing.readOneVersion(of: open(path))
    case ("count", nil): say(try open(path).objects(Card.self).count)
    case ("fill", nil): try Writing.fill(open(path))
    case ("digests", nil): try Observing.tellDigests(of: open(path))
    case ("open-as-nobody", nil): Mistakes.openAsNobody(path)
    case ("mistake", let which?):
      try Mistakes.make(which, in: open(path, .unsafe, Card.self, Item.self, Mistakes.Pile.self))
    case ("take-turn", let program?):
      let number = Int(options.last ?? "") ?? 0
      if program == "older" {
        try OlderProgram.takeTurn(number, in: open(path, .unsafe, OlderProgram.Contact.self))
      } else {
        try NewerProgram.takeTurn(number, in: open(path, .unsafe, NewerProgram.Contact.self))
      }
    case ("memory", let name?): try Memory.hold(name)
    case ("default", nil): try Memory.useDefault()
    case ("ordered", nil): try Observing.tellOrder(in: open(path))
    case ("await", let count?): try Observing.await(Int(count) ?? 0, in: open(path))
    case ("mutants", let seed?):
      let numbers = options.dropFirst().compactMap { Int($0) }
      guard numbers.count == 2 else { exit(64) }
      try Mutants.run(seed: UInt64(seed) ?? 0, numbers[0], numbers[1], path: path)
    case ("compact", nil): try Copying.compact(open(path))
    case ("compact-once", nil): try Copying.compactOnce(open(path))
    case ("copy", let target?): try Copying.copy(open(path), to: target)
    case ("same-ranks", nil): try Copying.changeRanks(in: open(path))
    case ("read-as-nobody", let way?): Copying.readAsNobody(way, path)
    case ("read-once", let way?): Copying.read(way, path)
    case ("grow", let name?):
      let numbers = options.dropFirst().compactMap { Int($0) }
      guard numbers.count == 2 else { exit(64) }
      try Writing.grow(name, numbers[0], dyingAt: numbers[1], path)
    case ("hear", let count?): try Observing.hear(Int(count) ?? 0, in: open(path, .relaxed))
    case ("meet", let script?): try Meeting.run(script, path)
    case ("full-disk", nil): try Copying.onFullDisk(path)
    case ("end", let how?): try await Ending.end(how, path)
    default: exit(64)
    }
  }

  static func open(_ path: String, _ durability: Durability = .unsafe) throws -> Store {
    try open(path, durability, Card.self, Item.self)
  }

  static func open(
    _ path: String, _ durability: Durability = .unsafe, _ models: Object.Type...
  ) throws -> Store {
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: models)
    configuration.durability = durability
    return try Store(configuration: configuration)
  }
}

/// Writes a line to the standard output.
func say(_ line: Any) { try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }
