/// The forms that rows can be written in.
package enum OutputFormat: String, CaseIterable, Sendable {
  /// Aligned columns for people.
  case table
  /// Tab-separated fields, one row a line, without a heading.
  case plain
  /// One JSON value.
  case json
  /// One JSON object a line.
  case ndjson

  /// Whether the output is for programs that read JSON; they get errors in JSON as well.
  package var isJSON: Bool { self == .json || self == .ndjson }

  /// Reads `--format` and `--json`; without both, a table on a terminal and plain otherwise.
  package init(_ arguments: ParsedArguments, onTerminal isTerminal: Bool) throws(CommandError) {
    guard let name = arguments.value("format") else {
      self = arguments.has("json") ? .json : isTerminal ? .table : .plain
      return
    }
    guard let format = OutputFormat(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue)
      throw .usage(
        "Unknown format “\(name.escapedForTerminal)”.",
        hint: suggestion(for: name, among: names)
          ?? "Choose one of \(names.joined(separator: ", ")).",
        details: [("format", .string(name))])
    }
    self = format
  }
}
