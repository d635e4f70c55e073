/// Why a command did not do what it was asked: for the user a sentence and advice, for scripts an
/// exit code and data.
package struct CommandError: Error {
  /// What the program exits with.
  package var status: ExitStatus
  /// The word for scripts, `"code"` in JSON.
  package var code: String
  /// What happened to what.
  package var message: String
  /// What to do about it, if anything.
  package var hint: String?
  /// The data that the message speaks of, beside it in JSON.
  package var details: [JSON.Member]

  /// Makes an error whose code is that of its status, unless given.
  package init(
    _ status: ExitStatus, code: String? = nil, message: String, hint: String? = nil,
    details: [JSON.Member] = []
  ) {
    self.status = status
    self.code = code ?? status.code
    self.message = message
    self.hint = hint
    self.details = details
  }

  /// Makes the error for a command line that cannot be understood.
  package static func usage(
    _ message: String, hint: String? = nil, details: [JSON.Member] = []
  ) -> CommandError {
    CommandError(.usage, message: message, hint: hint, details: details)
  }

  /// The error as one JSON object: `{"error":{"code":…,"message":…,"hint":…}}`.
  package var json: JSON {
    var members: [JSON.Member] = [("code", .string(code)), ("message", .string(message))]
    if let hint { members.append(("hint", .string(hint))) }
    return .object([("error", .object(members + details))])
  }
}
