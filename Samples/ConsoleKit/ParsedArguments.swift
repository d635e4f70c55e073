/// A command line, taken apart as a ``Syntax`` says.
package struct ParsedArguments: Sendable {
  /// The command, or the program's name where it has only one.
  package let command: String
  /// What stands beside options, in order.
  package let operands: [String]
  private let values: [String: [String]]

  init(command: String, operands: [String], values: [String: [String]]) {
    self.command = command
    self.operands = operands
    self.values = values
  }

  /// Whether an option was given.
  package func has(_ option: String) -> Bool { values[option] != nil }

  /// The value of an option; the last one where it was given several times.
  package func value(_ option: String) -> String? { values[option]?.last }

  /// All values of an option, in order.
  package func values(_ option: String) -> [String] { values[option] ?? [] }
}

extension ParsedArguments {
  /// What a command line asks for.
  package enum Request: Sendable {
    /// To run a command.
    case run(ParsedArguments)
    /// To show this text, the help or the version, and do nothing.
    case show(String)
  }

  /// Takes a command line apart.
  ///
  /// Options may stand before and after the command and its operands; `--` ends them. The spellings
  /// `--name=value`, `-nvalue` and `-abc` are understood.
  package static func parse(
    _ arguments: [String], syntax: Syntax
  ) throws(CommandError) -> Request {
    var parser = ArgumentParser(arguments: arguments, syntax: syntax)
    return try parser.parse()
  }
}

/// Walks over a command line once, from left to right.
private struct ArgumentParser {
  let arguments: [String]
  let syntax: Syntax
  var position = 0
  var command: Syntax.Command?
  var operands: [String] = []
  var values: [String: [String]] = [:]

  init(arguments: [String], syntax: Syntax) {
    self.arguments = arguments
    self.syntax = syntax
    if !syntax.selectsCommand { command = syntax.commands.first }
  }

  mutating func parse() throws(CommandError) -> ParsedArguments.Request {
    if syntax.selectsCommand, arguments.first == "help" {
      return .show(try helpText(for: arguments.dropFirst().first))
    }
    while position < arguments.count {
      let argument = arguments[position]
      position += 1
      if argument == "--" {
        for operand in arguments[position...] { try take(operand: operand) }
        break
      } else if argument.hasPrefix("--") {
        try take(longOption: argument.dropFirst(2))
      } else if argument.hasPrefix("-"), argument != "-" {
        try take(letters: argument.dropFirst())
      } else {
        try take(operand: argument)
      }
      if values["help"] != nil {
        // `notes --help add` and `notes add --help` both mean the command's help.
        return .show(try helpText(for: command?.name ?? arguments[position...].first))
      }
      if values["version"] != nil { return .show(versionText(of: syntax.program)) }
    }
    guard let command else {
      throw .usage("No command given.", hint: "Try “\(syntax.program) --help”.")
    }
    try checkOperandCount(of: command)
    return .run(ParsedArguments(command: command.name, operands: operands, values: values))
  }

  private mutating func take(operand: String) throws(CommandError) {
    if command == nil {
      command = try find(command: operand)
    } else {
      operands.append(operand)
    }
  }

  private mutating func take(longOption text: Substring) throws(CommandError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    guard let option = availableOptions.first(where: { $0.name == name }) else {
      throw unknownOption("--" + name, name: name)
    }
    let attached = parts.count > 1 ? String(parts[1]) : nil
    if option.value == nil, attached != nil {
      throw .usage(
        "The option --\(name) takes no value.", details: [("option", .string("--" + name))])
    }
    try take(option, spelled: "--" + name, attached: attached)
  }

  private mutating func take(letters: Substring) throws(CommandError) {
    var rest = letters
    while let letter = rest.popFirst() {
      guard let option = availableOptions.first(where: { $0.letter == letter }) else {
        throw unknownOption("-\(letter)", name: String(letter))
      }
      if option.value == nil {
        try take(option, spelled: "-\(letter)", attached: nil)
      } else {
        try take(option, spelled: "-\(letter)", attached: rest.isEmpty ? nil : String(rest))
        return
      }
    }
  }

  private mutating func take(
    _ option: Syntax.Option, spelled: String, attached: String?
  ) throws(CommandError) {
    guard let value = option.value else {
      values[option.name, default: []].append("")
      return
    }
    if let attached {
      values[option.name, default: []].append(attached)
    } else if position < arguments.count {
      values[option.name, default: []].append(arguments[position])
      position += 1
    } else {
      throw .usage(
        "The option \(spelled) needs a value: \(spelled) \(value).",
        details: [("option", .string(spelled))])
    }
  }

  private var availableOptions: [Syntax.Option] { syntax.options + (command?.options ?? []) }

  private func unknownOption(_ spelled: String, name: String) -> CommandError {
    // An option of a command that is named later is a matter of order, not of spelling.
    let owners = syntax.commands.filter { command in
      command.options.contains { $0.name == name || $0.letter.map(String.init) == name }
    }
    let hint: String
    if command == nil, let owner = owners.first {
      hint = "Write it behind its command: \(syntax.program) \(owner.name) … \(spelled) …"
    } else {
      hint =
        suggestion(for: "--" + name, among: availableOptions.map { "--" + $0.name })
        ?? "Try “\(syntax.program) \(syntax.selectsCommand ? (command?.name ?? "") + " " : "")--help”."
    }
    return .usage(
      "Unknown option “\(spelled.escapedForTerminal)”.", hint: hint,
      details: [("option", .string(spelled))])
  }

  private func find(command name: String) throws(CommandError) -> Syntax.Command {
    if let command = syntax.commands.first(where: { $0.name == name }) { return command }
    throw .usage(
      "Unknown command “\(name.escapedForTerminal)”.",
      hint: suggestion(for: name, among: syntax.commands.map(\.name))
        ?? "Try “\(syntax.program) --help”.",
      details: [("command", .string(name))])
  }

  private func checkOperandCount(of command: Syntax.Command) throws(CommandError) {
    let usage = syntax.usageLine(of: command)
    if operands.count < command.operandCount.lowerBound {
      throw .usage("Something is missing behind “\(command.name)”.", hint: "Usage: \(usage)")
    }
    if operands.count > command.operandCount.upperBound {
      let extra = operands[command.operandCount.upperBound]
      throw .usage(
        "“\(extra.escapedForTerminal)” is one argument too many.",
        hint: "Usage: \(usage); text of several words needs quotes.",
        details: [("argument", .string(extra))])
    }
  }

  private func helpText(for name: String?) throws(CommandError) -> String {
    guard syntax.selectsCommand, let name, !name.hasPrefix("-") else { return syntax.help }
    return syntax.help(for: try find(command: name))
  }
}
