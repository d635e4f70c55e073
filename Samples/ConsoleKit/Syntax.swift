/// What a program's command line may hold; its help is written from the same description.
package struct Syntax: Sendable {
  /// An option: `--name`, perhaps `-n`, perhaps with a value.
  package struct Option: Sendable {
    var name: String
    var letter: Character?
    var value: String?
    var help: String

    /// Makes an option; `value` names what has to follow it, if anything.
    package init(
      _ name: String, _ letter: Character? = nil, value: String? = nil, help: String
    ) {
      self.name = name
      self.letter = letter
      self.value = value
      self.help = help
    }
  }

  /// A command of a program that has several.
  package struct Command: Sendable {
    /// The word that selects it.
    package var name: String
    var operands: String
    var operandCount: ClosedRange<Int>
    var summary: String
    var options: [Option]
    var details: String
    var examples: [String]

    /// Makes a command; `operands` shows in its usage line what comes beside options.
    package init(
      _ name: String, operands: String = "", operandCount: ClosedRange<Int> = 0...0,
      summary: String, options: [Option] = [], details: String = "", examples: [String]
    ) {
      self.name = name
      self.operands = operands
      self.operandCount = operandCount
      self.summary = summary
      self.options = options
      self.details = details
      self.examples = examples
    }
  }

  /// The program's name.
  package var program: String
  /// What the program is for, in a sentence.
  package var summary: String
  /// The options that stand before or after any command.
  package var options: [Option]
  /// The commands; a program without a choice has one, whose name is never typed.
  package var commands: [Command]
  /// Whether the first operand selects a command.
  package var selectsCommand: Bool
  /// What is worth knowing beside options and commands; the last paragraphs of the help.
  package var notes: String

  /// Describes a program with several commands.
  package init(
    program: String, summary: String, options: [Option], commands: [Command], notes: String
  ) {
    self.program = program
    self.summary = summary
    self.options = options + Self.commonOptions
    self.commands = commands
    self.selectsCommand = true
    self.notes = notes
  }

  /// Describes a program that does one thing.
  package init(
    program: String, summary: String, options: [Option], examples: [String], notes: String
  ) {
    self.program = program
    self.summary = summary
    self.options = options + Self.commonOptions
    self.commands = [Command(program, summary: summary, examples: examples)]
    self.selectsCommand = false
    self.notes = notes
  }

  private static let commonOptions = [
    Option("help", "h", help: "Show this help."),
    Option("version", help: "Show the version."),
  ]
}
