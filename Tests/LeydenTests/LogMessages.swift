import Foundation
import Leyden

/// Takes the library's messages for as long as it is there.
final class LogMessages {
  private let messages = Locked<[String]>([])

  init() {
    let messages = messages
    Log.setHandler { message in messages.withLock { $0.append(message) } }
  }

  deinit { Log.setHandler(nil) }

  /// The messages so far.
  var all: [String] { messages.withLock { $0 } }
}
