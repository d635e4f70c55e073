// Shows the notes of a store while they change: a live table on a terminal, lines of JSON elsewhere.
// Run it: swift run notes-watch; in a second terminal: swift run notes add "Milk"
// Read first: NoteFeed.swift, which hears the changes; LineWatch.swift and ScreenWatch.swift show them.

import ConsoleKit
import Foundation

Program.run(.notesWatch) { arguments, output in
  let options = try WatchOptions(arguments)
  return try options.usesScreen
    ? ScreenWatch(options).run()
    : LineWatch(options, output: output).run()
}
