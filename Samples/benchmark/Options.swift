/// What to measure, from the command line.
struct Options {
  /// The number of notes in most questions.
  var notes = 100_000
  /// How often each row is measured; the median is printed.
  var repetitions = 7
  /// Whether delivery is also measured for a million notes.
  var asksForMillion = false
  private var names: Set<String> = []

  /// Why the arguments ask for nothing that can be measured.
  struct Failure: Error, CustomStringConvertible {
    let isHelp: Bool
    let description: String
  }

  init(_ arguments: [String]) throws(Failure) {
    let known = Benchmark.questions.map(\.name)
    for argument in arguments {
      switch argument {
      case "--quick":
        notes = 10_000
        repetitions = 3
      case "--million": asksForMillion = true
      case "--help": throw Failure(isHelp: true, description: Self.usage(known))
      case let name where known.contains(name): names.insert(name)
      default:
        throw Failure(
          isHelp: false, description: "There is no question \(argument).\n\(Self.usage(known))")
      }
    }
  }

  /// Whether a question was asked: those named, or all.
  func includes(_ question: any Question) -> Bool {
    names.isEmpty || names.contains(question.name)
  }

  private static func usage(_ names: [String]) -> String {
    """
    benchmark [--quick] [--million] [question …]

      --quick    fewer notes and repetitions: to see that it runs
      --million  deliver changes of a million notes as well

    Questions: \(names.joined(separator: ", "))
    """
  }
}
