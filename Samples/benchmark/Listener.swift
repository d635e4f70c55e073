import CBaseline
import Foundation
import Leyden

/// What the other process does: writes the time of each change that it was told of to its standard
/// output, 8 bytes each, after one that says that it listens.
struct Listener {
  enum Engine: String {
    case leyden
    case plain
  }

  static let flag = "--listen"
  private let engine: Engine
  private let directory: URL
  private let count: Int

  /// `nil` where the arguments do not ask for one.
  init?(arguments: [String]) {
    guard arguments.count == 5, arguments[1] == Self.flag,
      let engine = Engine(rawValue: arguments[2]), let count = Int(arguments[4])
    else { return nil }
    self.engine = engine
    directory = URL(fileURLWithPath: arguments[3])
    self.count = count
  }

  /// The arguments of a process that listens.
  static func arguments(_ engine: Engine, _ directory: URL, _ count: Int) -> [String] {
    [flag, engine.rawValue, directory.path, "\(count)"]
  }

  func run() throws {
    switch engine {
    case .plain:
      let store = try PlainStore(directory.appendingPathComponent("plain"))
      store.order(count).listen(DeliverToProcess.commits)
    case .leyden:
      let store = try Store(configuration: Stores.configuration(in: directory))
      let token = store.objects(Note.self).sorted(by: \.lastEdited).observe { _ in
        var now = baseline_now()
        unsafe write(STDOUT_FILENO, &now, MemoryLayout<UInt64>.size)
      }
      // Without news for this long, whoever started the process is gone.
      while store.waitForChanges(timeout: .seconds(10)) {}
      token.invalidate()
    }
  }
}

/// A process that listens, as the one sees it that started it.
final class ListeningProcess {
  private let process = Process()
  private let output = Pipe()

  init(_ engine: Listener.Engine, _ directory: URL, _ count: Int) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = Listener.arguments(engine, directory, count)
    process.standardOutput = output
    try process.run()
  }

  /// Waits until the process was told of a change; the time at which it was.
  func nextTime() throws -> UInt64 {
    let bytes = try output.fileHandleForReading.read(upToCount: MemoryLayout<UInt64>.size)
    guard let bytes, bytes.count == MemoryLayout<UInt64>.size else { throw Missing() }
    return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) }
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }
}
