/// The version of the library and of the programs that come with it.
package let version = "0.1.0"

/// The answer to `--version`.
func versionText(of program: String) -> String { "\(program) \(version) (Leyden \(version))" }
