extension Syntax {
  /// The help of the whole program: what it does, examples, commands, options.
  var help: String {
    var lines = [summary, "", "Usage: " + usageLine]
    let examples = selectsCommand ? commands.compactMap(\.examples.first) : commands[0].examples
    lines += ["", "Examples:"] + examples.map { "  " + $0 }
    if selectsCommand {
      lines += ["", "Commands:"] + Self.aligned(commands.map { ($0.synopsis, $0.summary) })
    }
    lines += ["", "Options:"] + Self.aligned(options.map { ($0.synopsis, $0.help) })
    if !notes.isEmpty { lines += ["", notes] }
    return lines.joined(separator: "\n")
  }

  /// The help of one command.
  func help(for command: Command) -> String {
    var lines = [command.summary, "", "Usage: " + usageLine(of: command)]
    lines += ["", "Examples:"] + command.examples.map { "  " + $0 }
    if !command.details.isEmpty { lines += ["", command.details] }
    let all = command.options + options
    lines += ["", "Options:"] + Self.aligned(all.map { ($0.synopsis, $0.help) })
    return lines.joined(separator: "\n")
  }

  private var usageLine: String {
    selectsCommand ? "\(program) [OPTIONS] COMMAND …" : "\(program) [OPTIONS]"
  }

  /// How a command is called, in one line.
  func usageLine(of command: Command) -> String {
    guard selectsCommand else { return usageLine }
    return
      ([program, command.name] + (command.operands.isEmpty ? [] : [command.operands])
      + ["[OPTIONS]"]).joined(separator: " ")
  }

  private static func aligned(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.displayWidth).max() ?? 0
    return rows.map { "  " + $0.0.fitted(to: width) + "  " + $0.1 }
  }
}

extension Syntax.Command {
  fileprivate var synopsis: String { operands.isEmpty ? name : name + " " + operands }
}

extension Syntax.Option {
  fileprivate var synopsis: String {
    let short = letter.map { "-\($0), " } ?? "    "
    return short + "--" + name + (value.map { " " + $0 } ?? "")
  }
}
