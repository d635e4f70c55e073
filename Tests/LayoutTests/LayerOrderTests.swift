import Foundation
import XCTest

/// The folders of `Sources/Leyden` stand in one order: a file names only types of its own folder and
/// of those before it.
final class LayerOrderTests: XCTestCase {
  private static let layers = ["Model", "Objects", "Query", "Observation", "Store"]

  func testEveryFolderOfTheLibraryIsALayer() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      at: Repository.root.appending(path: "Sources/Leyden"),
      includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles
    ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false }

    let unknown = folders.map(\.lastPathComponent).filter {
      !Self.layers.contains($0) && !$0.hasSuffix(".docc")
    }

    XCTAssertEqual(unknown, [], "say in this test where they stand in the order")
  }

  func testAFileNamesNoTypeOfALaterLayer() throws {
    let sources = try Self.layers.map { layer in
      try Repository.files(in: "Sources/Leyden/" + layer, withExtension: "swift").map { file in
        (file: file, source: SwiftSource(try String(contentsOf: file, encoding: .utf8)))
      }
    }
    let declared = sources.map { layer in
      layer.reduce(into: Set<String>()) { $0.formUnion($1.source.declaredTypes) }
    }

    var violations: [String] = []
    for layer in sources.indices {
      let known = declared[...layer].reduce(into: Set<String>()) { $0.formUnion($1) }
      let later = declared[(layer + 1)...].reduce(into: Set<String>()) { $0.formUnion($1) }
      for (file, source) in sources[layer] {
        for type in source.namedTypes.intersection(later.subtracting(known)).sorted() {
          violations.append("\(Repository.path(of: file)) names \(type)")
        }
      }
    }

    XCTAssertEqual(violations, [])
  }

  func testADeclarationIsFoundWhateverStandsBeforeIt() {
    let source = SwiftSource(
      """
      /// struct Commented
      @frozen public struct Plain {}
      @propertyWrapper @dynamicMemberLookup
      package final class Wrapped { struct Nested {} }
      public indirect enum Tree {}
      let text = "class Quoted \\(Named.value("x")) struct Quoted"
      """)

    XCTAssertEqual(source.declaredTypes, ["Plain", "Wrapped", "Tree"])
  }

  func testANameInACommentOrATextOrBehindADotDoesNotCount() {
    let source = SwiftSource(
      """
      // Later
      /* Later
         Later */
      let a = "Later \\(b("Later"))", c = #"Later "quoted" Later"#
      let d = Outer.Later(), e: [Inner] = []
      """)

    XCTAssertEqual(source.namedTypes, ["Outer", "Inner"])
  }
}
