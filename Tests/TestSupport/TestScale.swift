import Foundation

/// A number of rounds or of random programs, scaled by `LEYDEN_TEST_SCALE` (1 where it is not set); at
/// least 1.
public func testScale(_ count: Int) -> Int {
  let scale = ProcessInfo.processInfo.environment["LEYDEN_TEST_SCALE"].flatMap(Double.init) ?? 1
  return max(1, Int(Double(count) * scale))
}

/// Some of `elements`, evenly spread, where `LEYDEN_TEST_SCALE` is below 1; else all of them.
public func testScale<Element>(_ elements: [Element]) -> [Element] {
  let count = min(testScale(elements.count), elements.count)
  return (0..<count).map { elements[$0 * elements.count / count] }
}

/// What the environment tells sanitizers: a program that is run in an environment of its own needs it
/// too.
public var sanitizerOptions: [String: String] {
  ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
}
