public import Foundation

/// Where the build put its executables.
public enum BuildProducts {
  /// The directory that the running test bundle, or child, was built into.
  public static let directory: URL = {
    #if os(Linux)
      let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      return executable.deletingLastPathComponent()
    #else
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      return (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #endif
  }()

  /// The path of a built executable.
  public static func executable(_ name: String) -> String {
    directory.appendingPathComponent(name).path
  }
}
