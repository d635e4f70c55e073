import Foundation

/// A number of random programs, scaled by `LEYDEN_TEST_SCALE` (1 where it is not set); at least 1.
public func testScale(_ count: Int) -> Int {
  let scale = ProcessInfo.processInfo.environment["LEYDEN_TEST_SCALE"].flatMap(Double.init) ?? 1
  return max(1, Int(Double(count) * scale))
}

/// What the environment tells sanitizers: a program that is run in an environment of its own needs it
/// too.
public var sanitizerOptions: [String: String] {
  ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
}
