import ConsoleKit
import Foundation
import Leyden
import NotesKit

/// One run of `notes`: what was asked, where the store is, where the answer goes.
struct NotesSession {
  let arguments: ParsedArguments
  let format: OutputFormat
  let fixtures: Fixtures
  private let location: StoreLocation
  private let output: Output
  private let width: Int

  init(_ arguments: ParsedArguments, output: Output) throws(CommandError) {
    let environment = ProcessInfo.processInfo.environment
    self.arguments = arguments
    self.output = output
    format = try OutputFormat(arguments, onTerminal: StandardStreams.outputIsTerminal)
    fixtures = try Fixtures(environment: environment)
    location = try StoreLocation(
      arguments, variable: "NOTES_STORE", fileName: "Notes.leyden", directory: "notes",
      environment: environment)
    width = StandardStreams.outputWidth(environment: environment)
  }

  // MARK: Opening

  /// Opens the store to read it; nothing is created.
  func openForReading() throws -> NoteDataSource {
    try NoteDataSource(url: location.url, readOnly: true)
  }

  /// Opens the store to change notes that are there; nothing is created.
  func openForChanging() throws -> NoteDataSource {
    // Opening for reading fails, with the right error, where there is no store.
    try NoteDataSource(url: location.url, readOnly: true).store.close()
    return try NoteDataSource(url: location.url, readOnly: arguments.has("readonly"))
  }

  /// Opens the store to add notes, and creates it where it is missing.
  func openForAdding() throws -> NoteDataSource {
    guard !arguments.has("readonly") else { return try openForReading() }
    try location.makeParents()
    do {
      return try NoteDataSource(url: location.url)
    } catch {
      var failure = CommandError(error)
      // It is its parent that is missing; the store itself would have been made.
      if failure.status == .notFound { failure.status = .cannotCreate }
      throw failure
    }
  }

  /// Runs a command; where it waits for long until another process has written, that one is named.
  func tellingForWhomItWaits(_ command: () throws -> Void) throws {
    let url = location.url
    try WriterNotice.whileWaiting("notes") {
      let dataSource = try? NoteDataSource(url: url, readOnly: true)
      return dataSource?.store.diagnostics.writingProcess
    } _: {
      try command()
    }
  }

  // MARK: Answering

  /// Writes notes as the answer: in the form that was asked for, or their ids.
  func answer(_ notes: some Collection<Note>) throws(CommandError) {
    if arguments.has("quiet") {
      for note in notes { try output.line(note.identifier.escapedForTerminal) }
    } else {
      try output.write(notes: notes, as: format, width: width)
    }
  }

  /// Writes one note as the answer, or its id.
  func answer(_ note: Note) throws(CommandError) {
    if arguments.has("quiet") {
      try output.line(note.identifier.escapedForTerminal)
    } else {
      try output.write(note: note, as: format)
    }
  }

  /// Answers a command that changed notes: with their ids, in JSON with the notes.
  func answer(changed notes: [Note]) throws(CommandError) {
    guard !format.isJSON || arguments.has("quiet") else { return try answer(notes) }
    for note in notes { try output.line(note.identifier.escapedForTerminal) }
  }

  /// Answers a command that changed one note: with its id, in JSON with the note.
  func answer(changed note: Note) throws(CommandError) {
    guard !format.isJSON || arguments.has("quiet") else { return try answer(note) }
    try output.line(note.identifier.escapedForTerminal)
  }

  /// Tells people on standard error that there is nothing to show; programs see it for themselves.
  func hint(_ text: String) {
    if format == .table, !arguments.has("quiet") { StandardStreams.complain(text) }
  }

  /// Says on standard error what was done, where the user asked for that.
  func report(_ text: @autoclosure () -> String) {
    if arguments.has("verbose") { StandardStreams.complain(text()) }
  }
}
