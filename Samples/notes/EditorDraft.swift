import ConsoleKit
import Foundation

/// A text in a file of its own, for an editor to work on.
///
/// 1. The text is written to a new file that only its user can read.
/// 2. The editor runs on it, in the terminal of this program.
/// 3. What it left is read back.
/// 4. Where it was saved, or there was nothing to save, the file goes; otherwise it stays, and the
///    error says where. Nobody's text is lost.
struct EditorDraft {
  private let file: URL
  private let original: Data

  /// Writes `text` to a new file.
  init(text: String) throws(CommandError) {
    file = FileManager.default.temporaryDirectory.appending(path: "note-\(UUID().uuidString).txt")
    // Editors want the last line to end; without that, many would add it and so change the text.
    original = Data((text + "\n").utf8)
    let isCreated = FileManager.default.createFile(
      atPath: file.path, contents: original, attributes: [.posixPermissions: 0o600])
    guard isCreated else {
      throw CommandError(
        .cannotCreate, message: "The file for the editor could not be made: \(file.path).",
        hint: "Set TMPDIR to a directory that can be written to.",
        details: [("path", .string(file.path))])
    }
  }

  /// Runs the editor and returns the new text, or `nil` where the file was left as it was.
  ///
  /// - Throws: A ``CommandError``: cancelled where the text was emptied; the editor failed; or what
  ///   it left is no text. In the last two cases the file stays.
  func edit(environment: [String: String]) throws(CommandError) -> String? {
    let command: String
    do {
      command = try Self.command(environment: environment)
    } catch {
      discard()
      throw error
    }
    let status = run(command)
    guard let edited = try? Data(contentsOf: file) else {
      throw CommandError(
        .failure, message: "The editor “\(command.escapedForTerminal)” removed its file.")
    }
    guard status == 0 else {
      if edited == original { discard() }
      let failure = CommandError(
        .failure, code: "editor_failed",
        message: "The editor “\(command.escapedForTerminal)” failed; nothing was saved.",
        details: [("editor", .string(command)), ("status", .integer(status))])
      throw edited == original ? failure : keeping(after: failure)
    }
    guard edited != original else { return nil }
    guard let text = String(validating: edited, as: UTF8.self) else {
      throw keeping(
        after: CommandError(
          .badInput, message: "The edited text is not valid UTF-8; nothing was saved."))
    }
    guard !text.allSatisfy(\.isWhitespace) else {
      discard()
      throw CommandError(.cancelled, message: "The text was emptied: the edit is cancelled.")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// The error, with the advice where the edited text is.
  func keeping(after error: any Error) -> CommandError {
    var error = CommandError(error)
    let advice = "The edited text is in \(file.path)."
    error.hint = error.hint.map { $0 + "\n" + advice } ?? advice
    error.details.append(("file", .string(file.path)))
    return error
  }

  /// Removes the file.
  func discard() {
    // A file that is gone already is what is wanted; one that cannot be removed harms nobody.
    try? FileManager.default.removeItem(at: file)
  }

  /// `VISUAL`, else `EDITOR`, else, where somebody is there to use it, `vi`.
  private static func command(environment: [String: String]) throws(CommandError) -> String {
    for variable in ["VISUAL", "EDITOR"] {
      if let command = environment[variable], !command.allSatisfy(\.isWhitespace) { return command }
    }
    guard StandardStreams.inputIsTerminal, StandardStreams.outputIsTerminal else {
      throw .usage(
        "There is nothing to edit with.",
        hint: "Give the new text with -b or --stdin, or set VISUAL or EDITOR.")
    }
    return "vi"
  }

  /// Runs the editor in this program's terminal and waits for it; returns its exit code, or 128 and
  /// the number of the signal that ended it.
  ///
  /// The command may hold arguments (`code --wait`), so the shell takes it apart; only where all of
  /// it is the path of a program, spaces and all, it is one word. `system` leaves Ctrl-C to the
  /// editor while it runs.
  private func run(_ command: String) -> Int {
    let isPath = command.contains("/") && FileManager.default.isExecutableFile(atPath: command)
    let editor = isPath ? Self.quoted(command) : command
    signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, SIG_IGN) }
    let status = unsafe system("\(editor) \(Self.quoted(file.path))")
    guard status != -1 else { return 127 }
    let signalNumber = Int(status & 0x7F)
    return signalNumber == 0 ? Int(status >> 8 & 0xFF) : 128 + signalNumber
  }

  /// A word that the shell takes as it is.
  private static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
