// swift-tools-version: 6.2
import PackageDescription

// A package as a user of the library has it. `Scripts/consumer` says where the repository is.
let repository = Context.environment["LEYDEN_REPOSITORY"] ?? "../.."

let package = Package(
  name: "Consumer",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: repository, from: "1.0.0")],
  targets: [
    .executableTarget(
      name: "Consumer", dependencies: [.product(name: "Leyden", package: "leyden")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)
