import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// What cannot be opened throws an error with its data and advice, and stays as it was.
final class OpeningTests: StoreTestCase {
  private func url(_ name: String = "Test.leyden") throws -> URL {
    try temporaryDirectory().url.appendingPathComponent(name)
  }

  /// Opens at a place, expects the error, and checks that everything is as before.
  private func assertRefused(
    at url: URL? = nil, readOnly: Bool = false, _ types: [Object.Type] = [Card.self],
    file: StaticString = #filePath, line: UInt = #line, where isExpected: (StoreError) -> Bool
  ) throws {
    let before = DirectoryContents(of: try temporaryDirectory().url)
    var configuration = Store.Configuration(fileURL: try url ?? self.url(), objectTypes: types)
    configuration.readOnly = readOnly
    configuration.durability = .unsafe
    XCTAssertThrowsError(try Store(configuration: configuration), file: file, line: line) { error in
      guard let error = error as? StoreError, isExpected(error) else {
        return XCTFail("\(error)", file: file, line: line)
      }
      XCTAssertFalse(error.errorDescription?.isEmpty ?? true, file: file, line: line)
      XCTAssertEqual(error.localizedDescription, error.errorDescription, file: file, line: line)
    }
    XCTAssertTrue(
      DirectoryContents(of: try temporaryDirectory().url) == before, "something was changed",
      file: file, line: line)
  }

  private func isNoStore(_ error: StoreError) -> Bool {
    if case .notAStore(let url, let found) = error {
      return url.lastPathComponent == "Test.leyden" && !found.isEmpty
        && error.recoverySuggestion != nil
    }
    return false
  }

  func testAFileInPlaceOfTheDirectoryIsNoStore() throws {
    try Data("twelve bytes".utf8).write(to: url())

    try assertRefused(where: isNoStore)
    try assertRefused(readOnly: true, where: isNoStore)
  }

  func testGarbageInPlaceOfTheDataIsNoStore() throws {
    var generator = SeededGenerator(seed: 31)
    for count in [1, 12, 100, 4_096, 8_192, 100_000] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try FileManager.default.createDirectory(at: url(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url().appendingPathComponent("data.mdb"))

      try assertRefused(where: isNoStore)
      try assertRefused(readOnly: true, where: isNoStore)
      try FileManager.default.removeItem(at: url())
    }
  }

  func testADirectoryWithOtherFilesIsNoStore() throws {
    try FileManager.default.createDirectory(at: url(), withIntermediateDirectories: true)
    try Data("precious".utf8).write(to: url().appendingPathComponent("letter.txt"))

    try assertRefused(where: isNoStore)
    try assertRefused(readOnly: true, where: isNoStore)
  }

  func testAnotherProgramsDatabaseIsNoStore() throws {
    do {
      let environment = try Environment.open(at: url().path)
      let write = try environment.beginWrite()
      _ = try write.makeTable(named: "theirs")
      try write.commit()
    }
    let data = try Data(contentsOf: url().appendingPathComponent("data.mdb"))

    for readOnly in [false, true] {
      var configuration = Store.Configuration(fileURL: try url(), objectTypes: [Card.self])
      configuration.readOnly = readOnly
      XCTAssertThrowsError(try Store(configuration: configuration)) { error in
        XCTAssertTrue((error as? StoreError).map(isNoStore) ?? false, "\(error)")
      }
    }

    XCTAssertTrue(try Data(contentsOf: url().appendingPathComponent("data.mdb")) == data)
  }

  func testAMissingParentIsNamed() throws {
    let missing = try url("missing")

    try assertRefused(at: missing.appendingPathComponent("Test.leyden")) { error in
      if case .fileNotFound(let url) = error { url.path == missing.path } else { false }
    }
  }

  func testAMissingStoreIsNotMadeByAReader() throws {
    try assertRefused(readOnly: true) { error in
      if case .fileNotFound(let url) = error {
        url.lastPathComponent == "Test.leyden"
      } else {
        false
      }
    }
  }

  func testAStoreThatIsCutOffIsDamaged() throws {
    do {
      let store = try store()
      try store.write { for number in 0..<200 { try store.add(Card("\(number)")) } }
      closeStore()
    }
    let data = try url().appendingPathComponent("data.mdb")
    let whole = try Data(contentsOf: data)
    for count in [whole.count / 2, 8_192 + 4_096, 8_191, 5_000, 100] {
      try whole.prefix(count).write(to: data)

      try assertRefused { error in
        switch error {
        case .corrupted, .notAStore: error.recoverySuggestion != nil
        default: false
        }
      }
    }

    try whole.write(to: data)
    XCTAssertEqual(try store().objects(Card.self).count, 200)
  }

  func testANewerFormatIsNamed() throws {
    _ = try store()
    closeStore()
    do {
      let environment = try Environment.open(at: url().path)
      let write = try environment.beginWrite()
      let meta = try write.makeTable(named: "meta")
      let value: [UInt8] = [7, 0, 0, 0, 2, 0, 0, 0]
      unsafe try withBytes(of: Array("format".utf8)) { (key) throws(StorageError) in
        unsafe try withBytes(of: value) { (bytes) throws(StorageError) in
          unsafe try write.put(bytes, for: key, in: meta)
        }
      }
      try write.commit()
    }

    XCTAssertThrowsError(try store()) { error in
      guard case StoreError.newerFormat(let url, let found) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(url.lastPathComponent, "Test.leyden")
      XCTAssertEqual(found, 7)
    }
  }

  func testAConfigurationWithoutModelsIsRefused() throws {
    try assertRefused([]) { $0 == .noObjectTypes }
  }

  func testAStoreThatIsOpenDifferentlyIsRefused() throws {
    _ = try store()
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.durability = .full

    XCTAssertThrowsError(try Store(configuration: configuration)) { error in
      guard case StoreError.alreadyOpenDifferently = error else { return XCTFail("\(error)") }
    }
  }

  func testUsersWithoutRightsAreToldSo() throws {
    guard getuid() == 0 else { throw XCTSkip("only root can become somebody else") }
    let store = try store()
    try store.write { try store.add(Card("a")) }
    let parent = try temporaryDirectory().url.path
    XCTAssertEqual(unsafe chmod(parent, 0o755), 0)

    let child = try ChildProcess("leyden-test-child", ["open-as-nobody", url().path])
    let lines = try child.remainingLines()

    XCTAssertEqual(
      lines, Array(repeating: "permissionDenied \(try url().path)", count: 2), child.errorOutput)
    XCTAssertEqual(store.objects(Card.self).count, 1)
  }

  func testWaitingEndsWhereTheFilesWereReplaced() throws {
    let store = try store()
    try store.write { try store.add(Item(1)) }
    let url = try XCTUnwrap(temporaryDirectory().configuration(objectTypes: []).fileURL)
    try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("moved"))

    XCTAssertFalse(store.waitForChanges(timeout: .seconds(10)))

    guard case .storeReplaced(let missing) = store.failure else {
      return XCTFail("\(store.failure.debugDescription)")
    }
    XCTAssertEqual(missing.path, url.path)
    assertThrows(.storeReplaced(missing)) { try store.write {} }
  }
}
