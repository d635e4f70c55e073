public import Foundation

/// A program of this package in a process of its own, talked to in lines.
///
/// Every wait has a time limit. A child that is still there when the instance goes away is killed.
public final class ChildProcess {
  /// Why a child could not be used.
  public enum Failure: Error, Sendable {
    /// The system did not start it.
    case notStarted(String, code: Int32)
    /// It said nothing for too long, or did not end.
    case tookTooLong(String)
    /// Its output ended before the line that was asked for.
    case ended(String, output: String)
  }

  /// How a child ended.
  public enum Ending: Sendable, Hashable {
    /// By itself, with a status.
    case exited(Int32)
    /// By a signal.
    case killed(Int32)
  }

  /// The child's number.
  public let identifier: Int32
  private let name: String
  private var input: Int32
  private let output: Int32
  private let errors: Int32
  private var buffer: [UInt8] = []
  private var isAtEnd = false
  private var ending: Ending?

  /// Starts an executable of the build directory.
  ///
  /// - Parameters:
  ///   - name: The executable's name; an absolute path is another program.
  ///   - arguments: Its arguments.
  ///   - environment: Variables that it has beside those of this process.
  /// - Throws: ``Failure``.
  public init(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    self.name = ([name] + arguments).joined(separator: " ")
    let inputPipe = try Self.makePipe()
    let outputPipe = try Self.makePipe()
    let errors = try Self.makeTemporaryFile()
    self.errors = errors
    input = inputPipe.write
    output = outputPipe.read
    // A child that is to be stopped by a mistake need not look for the names of its calls first.
    let variables = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
    let path = name.hasPrefix("/") ? name : BuildProducts.executable(name)
    var identifier: Int32 = 0
    let code = unsafe Self.withCStrings([path] + arguments) { arguments in
      unsafe Self.withCStrings(variables.map { "\($0)=\($1)" }) { variables in
        unsafe Self.spawn(
          path, arguments, variables, [inputPipe.read, outputPipe.write, errors], &identifier)
      }
    }
    close(inputPipe.read)
    close(outputPipe.write)
    self.identifier = identifier
    guard code == 0 else {
      ending = .exited(127)
      throw Failure.notStarted(self.name, code: code)
    }
  }

  deinit {
    if ending == nil {
      kill(identifier, SIGKILL)
      waitpid(identifier, nil, 0)
    }
    closeInput()
    close(output)
    close(errors)
  }

  /// The next line that the child prints; `nil` once its output has ended.
  public func line(within limit: Duration = .seconds(30)) throws -> String? {
    let deadline = ContinuousClock.now + limit
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      if isAtEnd { return nil }
      try readMore(until: deadline)
    }
  }

  /// The next line; fails where the output has ended.
  public func requiredLine(within limit: Duration = .seconds(30)) throws -> String {
    guard let line = try line(within: limit) else { throw Failure.ended(name, output: errorOutput) }
    return line
  }

  /// Lines that have arrived and were not read yet; does not wait.
  public func linesSoFar() throws -> [String] {
    while !isAtEnd, try readWhatIsThere(milliseconds: 0) {}
    var lines: [String] = []
    while buffer.contains(UInt8(ascii: "\n")), let line = try line() { lines.append(line) }
    return lines
  }

  /// All further lines, to the end of the output.
  public func remainingLines(within limit: Duration = .seconds(60)) throws -> [String] {
    var lines: [String] = []
    while let line = try line(within: limit) { lines.append(line) }
    return lines
  }

  /// Writes a line to the child's standard input.
  public func send(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = unsafe write(input, bytes, bytes.count)
  }

  /// Ends the child's standard input.
  public func closeInput() {
    guard input >= 0 else { return }
    close(input)
    input = -1
  }

  /// Sends a signal.
  public func signal(_ number: Int32 = SIGKILL) {
    if ending == nil { kill(identifier, number) }
  }

  /// Waits until the child's output has ended and it is gone.
  @discardableResult
  public func wait(within limit: Duration = .seconds(60)) throws -> Ending {
    if let ending { return ending }
    closeInput()
    let deadline = ContinuousClock.now + limit
    while !isAtEnd { try readMore(until: deadline) }
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let ending: Ending =
      status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed(status & 0x7f)
    self.ending = ending
    return ending
  }

  /// What the child has written to its standard error.
  public var errorOutput: String {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe pread(errors, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  // MARK: Reading

  private func readMore(until deadline: ContinuousClock.Instant) throws {
    let rest = ContinuousClock.now.duration(to: deadline)
    guard rest > .zero else { throw Failure.tookTooLong(name) }
    let milliseconds = rest / .milliseconds(1)
    _ = try readWhatIsThere(milliseconds: Int32(min(max(milliseconds, 1), 60_000)))
  }

  private func readWhatIsThere(milliseconds: Int32) throws -> Bool {
    var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&descriptor, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(output, &bytes, bytes.count)
    if count > 0 { buffer += bytes.prefix(count) }
    if count == 0 { isAtEnd = true }
    return count > 0
  }

  // MARK: Starting

  private static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Failure.notStarted("pipe", code: errno) }
    // Other children must not keep this one's ends open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func makeTemporaryFile() throws -> Int32 {
    let path = NSTemporaryDirectory() + "/leyden-child-\(UUID().uuidString)"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure.notStarted(path, code: errno) }
    unsafe unlink(path)
    return descriptor
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { for position in strings.indices { unsafe free(copies[position]) } }
    return unsafe body(copies + [nil])
  }

  private static func spawn(
    _ path: String, _ arguments: [UnsafeMutablePointer<CChar>?],
    _ variables: [UnsafeMutablePointer<CChar>?], _ descriptors: [Int32],
    _ identifier: inout Int32
  ) -> Int32 {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (target, descriptor) in descriptors.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
    }
    return unsafe posix_spawn(&identifier, path, &actions, nil, arguments, variables)
  }
}
