// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target of this package is compiled with.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "leyden",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Leyden", targets: ["Leyden"]),
    .library(name: "LeydenTesting", targets: ["LeydenTesting"]),
    .executable(name: "notes", targets: ["notes"]),
    .executable(name: "notes-watch", targets: ["notes-watch"]),
  ],
  targets: [
    // The library, bottom up: each target knows only those above it in this list.
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "CLeyden"),
    .target(name: "LeydenStorage", dependencies: ["CLMDB", "CLeyden"], swiftSettings: settings),
    .target(name: "Leyden", dependencies: ["CLeyden", "LeydenStorage"], swiftSettings: settings),
    .target(name: "LeydenTesting", dependencies: ["Leyden"], swiftSettings: settings),

    // Samples: what users can build with the library, and nothing else.
    .target(
      name: "ConsoleKit", dependencies: ["Leyden"], path: "Samples/ConsoleKit",
      swiftSettings: settings),
    .target(
      name: "NotesKit", dependencies: ["ConsoleKit", "Leyden"], path: "Samples/NotesKit",
      swiftSettings: settings),
    .executableTarget(
      name: "notes", dependencies: ["ConsoleKit", "NotesKit", "Leyden"], path: "Samples/notes",
      swiftSettings: settings),
    .executableTarget(
      name: "notes-watch", dependencies: ["ConsoleKit", "NotesKit", "Leyden"],
      path: "Samples/notes-watch", swiftSettings: settings),
    .executableTarget(
      name: "getting-started", dependencies: ["Leyden"], path: "Samples/getting-started",
      swiftSettings: settings),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["Leyden", "LeydenTesting"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "LeydenStorageTests",
      dependencies: ["CLeyden", "LeydenStorage", "LeydenTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LeydenTests",
      dependencies: ["Leyden", "LeydenStorage", "LeydenTesting", "TestSupport"],
      swiftSettings: settings),
    // The programs are dependencies so that they are built before the tests that run them.
    .testTarget(
      name: "SampleTests",
      dependencies: [
        "ConsoleKit", "NotesKit", "Leyden", "TestSupport", "notes", "notes-watch",
        "getting-started", "leyden-test-child",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "leyden-test-child",
      dependencies: ["Leyden", "LeydenStorage", "LeydenTesting", "TestSupport"],
      path: "Tests/TestChild", swiftSettings: settings),
    .executableTarget(
      name: "leyden-torture",
      dependencies: ["Leyden", "LeydenStorage", "LeydenTesting", "TestSupport"],
      path: "Tests/Torture", swiftSettings: settings),
    // Between processes: the child is a dependency so that it is built before the tests that run it.
    .testTarget(
      name: "ProcessTests",
      dependencies: [
        "Leyden", "LeydenStorage", "LeydenTesting", "TestSupport", "leyden-test-child",
        "leyden-torture",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LeydenTestingTests", dependencies: ["LeydenTesting"], swiftSettings: settings),
    .testTarget(name: "LayoutTests", swiftSettings: settings),
  ]
)

#if os(Linux)
  // The benchmark's baseline calls Linux itself; the faults are for tests, preloaded as Linux does it.
  package.products += [
    .executable(name: "benchmark", targets: ["benchmark"]),
    .library(name: "leyden-faults", type: .dynamic, targets: ["CFaults"]),
    .library(name: "leyden-recorder", type: .dynamic, targets: ["CRecorder"]),
  ]
  package.targets += [
    .target(name: "CFaults", path: "Tests/Faults"),
    .target(name: "CRecorder", path: "Tests/Recorder"),
    .target(name: "CBaseline", dependencies: ["CLMDB"], path: "Samples/CBaseline"),
    .executableTarget(
      name: "benchmark", dependencies: ["CBaseline", "Leyden"], path: "Samples/benchmark",
      swiftSettings: settings),
  ]
#endif
