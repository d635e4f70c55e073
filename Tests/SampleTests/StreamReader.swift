import Foundation

/// Reads a pipe or a terminal on a thread of its own, and gives what came when it is asked for.
final class StreamReader: @unchecked Sendable {
  // SAFETY: `text` and `isAtEnd` are only touched under `condition`; `handle` only keeps the
  // descriptor open.
  private let handle: FileHandle
  private let condition = NSCondition()
  private var text = ""
  private var isAtEnd = false

  init(_ handle: FileHandle) {
    self.handle = handle
    Thread.detachNewThread { [self] in readToEnd(of: handle.fileDescriptor) }
  }

  private func readToEnd(of descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var undecoded = Data()
    while true {
      let count = unsafe read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      undecoded += bytes.prefix(count)
      // A character may be cut in two by the end of a piece.
      guard let piece = String(validating: undecoded, as: UTF8.self) else { continue }
      undecoded = Data()
      condition.withLock {
        text += piece
        condition.broadcast()
      }
    }
    condition.withLock {
      text += String(decoding: undecoded, as: UTF8.self)
      isAtEnd = true
      condition.broadcast()
    }
  }

  /// Waits until something is found in what came, and returns it; `nil` after the end of the stream
  /// or the time limit.
  func wait<Found>(for find: (inout String) -> Found?) -> Found? {
    let deadline = Date() + Double(SampleProgram.timeLimit.components.seconds)
    return condition.withLock {
      while true {
        if let found = find(&text) { return found }
        if isAtEnd || !condition.wait(until: deadline) { return nil }
      }
    }
  }

  /// The next line, without its end.
  func line() -> String? {
    wait { text in
      guard let end = text.firstIndex(of: "\n") else { return nil }
      defer { text = String(text[text.index(after: end)...]) }
      return String(text[..<end])
    }
  }

  /// Waits until all of `pieces` came, in any order, and forgets everything up to then.
  func wait(for pieces: String...) -> Bool {
    wait { text in
      guard pieces.allSatisfy({ text.contains($0) }) else { return nil }
      text = ""
      return true
    } ?? false
  }

  /// What came, and nobody asked for yet.
  var unread: String { condition.withLock { text } }

  /// All that comes until the end of the stream.
  func rest() -> String {
    let deadline = Date() + Double(SampleProgram.timeLimit.components.seconds)
    return condition.withLock {
      while !isAtEnd, condition.wait(until: deadline) {}
      defer { text = "" }
      return text
    }
  }
}
