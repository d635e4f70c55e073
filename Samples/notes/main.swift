// Keeps notes in a Leyden store: writing, finding, editing and deleting from the command line.
// Run it: swift run notes add "Milk" -b "two bottles" -k shopping; swift run notes list
// Read first: AddCommand.swift, then NotesKit/StoredNote.swift.

import ConsoleKit
import Foundation

Program.run(.notes) { arguments, output in
  let session = try NotesSession(arguments, output: output)
  try session.tellingForWhomItWaits {
    switch arguments.command {
    case "add": try session.add()
    case "list": try session.list()
    case "search": try session.search()
    case "show": try session.show()
    case "edit": try session.edit()
    case "rm": try session.remove()
    case let command: preconditionFailure("The command \(command) is declared, but not run here.")
    }
  }
  return .success
}
