import ConsoleKit
import Foundation
import Leyden
import NotesKit
import Synchronization

/// Shows the notes as a live table on the terminal.
///
/// Two threads, each with what is its own: one owns the store and waits for changes; this one owns the
/// terminal and waits for keys, signals and the other's word. Between them is a mailbox of values.
struct ScreenWatch {
  private let options: WatchOptions
  private let mailbox = Mailbox()

  init(_ options: WatchOptions) {
    self.options = options
  }

  /// Shows the table until the user, a signal or the options say to end.
  func run() throws -> ExitStatus {
    let events = try TerminalEvents()
    follow(waking: events.waker)

    // Nothing is drawn before the store is open, so that a message about it stays readable.
    var screen = NoteScreen(title: options.url.path)
    while screen.isEmptyHanded {
      for event in events.next() {
        if let status = Self.status(endedBy: event) { return status }
      }
      if let ending = try take(into: &screen) { return ending }
    }

    let terminal = try Terminal()
    defer { terminal.leave() }
    var painter = Painter()
    while true {
      painter.paint(&screen, on: terminal)
      for event in events.next() {
        switch event {
        case .keys(let keys):
          for key in keys where screen.handle(key, rows: terminal.size.rows) { return .success }
        case .signal(SIGTSTP):
          terminal.leave()
          events.stop()
          fallthrough
        case .signal(SIGCONT):
          terminal.enter()
          painter = Painter()
        case .signal(SIGWINCH):
          painter = Painter()
        case .wake:
          if let ending = try take(into: &screen) { return ending }
        case .signal, .hangUp:
          if let status = Self.status(endedBy: event) { return status }
        }
      }
    }
  }

  /// Starts the thread that owns the store.
  private func follow(waking waker: TerminalEvents.Waker) {
    let options = options
    let mailbox = mailbox
    Thread.detachNewThread {
      let ending = Result {
        try NoteFeed(dataSource: try options.openNotes()).run(timeout: options.timeout) { change in
          mailbox.post(.change(change))
          waker.wake()
          return true
        }
      }
      mailbox.post(.end(ending))
      waker.wake()
    }
  }

  /// Takes what the other thread has posted; returns what to end with, if it is time.
  private func take(into screen: inout NoteScreen) throws -> ExitStatus? {
    for letter in mailbox.takeAll() {
      switch letter {
      case .change(let change):
        screen.apply(change)
        if let limit = options.changeLimit, screen.changeCount >= limit { return .success }
      case .end(let ending):
        return try ending.get() == .timedOut ? .timedOut : .success
      }
    }
    return nil
  }

  private static func status(endedBy event: TerminalEvents.Event) -> ExitStatus? {
    switch event {
    case .signal(SIGINT): .interrupted
    case .signal(SIGTERM): .terminated
    case .signal(SIGHUP), .hangUp: .hungUp
    default: nil
    }
  }
}

/// What the store's thread has for the terminal's.
private final class Mailbox: Sendable {
  enum Letter: Sendable {
    case change(NoteChange)
    case end(Result<NoteFeed.Ending, any Error>)
  }

  private let letters = Mutex<[Letter]>([])

  func post(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
  }

  func takeAll() -> [Letter] {
    letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}
