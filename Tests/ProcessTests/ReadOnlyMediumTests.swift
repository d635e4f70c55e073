import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Stores on media that a user, or nobody, may write.
final class ReadOnlyMediumTests: ProcessTestCase {
  /// A store of ten cards whose directory and files nobody but its owner's superuser may write.
  private func prepare(withLock: Bool = true) throws {
    do {
      let store = try store()
      try store.write { for number in 0..<10 { try store.add(Card("\(number)", rank: 0)) } }
      try store.write { try store.add(Item(1)) }
      store.close()
    }
    let path = try path()
    if !withLock {
      for name in ["lock.mdb", "signal"] {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
      }
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try setMode(0o444, of: "\(path)/\(name)")
    }
    try setMode(0o555, of: path)
  }

  private func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func readAsNobody(_ way: String) throws -> ChildProcess {
    try child("read-as-nobody", way)
  }

  /// Ends the child; skips where it could not give up its rights.
  private func lines(of child: ChildProcess) throws -> [String] {
    child.closeInput()
    let lines = try child.remainingLines()
    let ending = try child.wait()
    try XCTSkipIf(ending == .exited(77), "Only the superuser can become nobody.")
    XCTAssertEqual(ending, .exited(0), child.errorOutput)
    return lines
  }

  func testWhoMayNotWriteReadsWithoutLocksAndChangesNothing() throws {
    for withLock in [true, false] {
      try? setMode(0o755, of: path())
      try prepare(withLock: withLock)
      let url = URL(fileURLWithPath: try path())
      let before = DirectoryContents(of: url)
      for way in ["readOnly", "immutable"] {
        XCTAssertEqual(
          try lines(of: readAsNobody(way)), ["10", "readOnly", "read"], "\(way) \(withLock)")
      }
      let plain = try lines(of: readAsNobody("plain"))
      XCTAssertTrue(plain.first?.hasPrefix("permissionDenied") ?? false, "\(plain)")
      XCTAssertTrue(plain.first?.contains(url.path) ?? false, "\(plain)")
      XCTAssertEqual(DirectoryContents(of: url), before)
      try setMode(0o755, of: path())
      for (name, content) in before.files where content != nil {
        try FileManager.default.removeItem(at: url.appendingPathComponent(name))
      }
    }
  }

  func testWhileSomebodyWritesAReaderWithoutLocksIsRightOrRefused() throws {
    try prepare()
    // The superuser may write all the same.
    let writer = try child("same-ranks")
    XCTAssertEqual(try writer.requiredLine(), "ready", writer.errorOutput)
    for way in ["readOnly", "immutable"] {
      let expected = way == "readOnly" ? "permissionDenied" : "alreadyOpen"
      let reader = try readAsNobody(way)
      for _ in 0..<5 { reader.send("again") }
      let lines = try lines(of: reader).filter { $0 != "read" }
      XCTAssertEqual(lines.count, 6)
      XCTAssertTrue(lines.allSatisfy { $0.hasPrefix(expected) }, "\(lines)")
      XCTAssertTrue(lines.allSatisfy { $0.contains("Test.leyden") }, "\(lines)")
    }
    writer.signal(SIGKILL)
  }

  func testAWriterThatComesLaterIsNoticed() throws {
    try prepare()
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.immutable = true
    let store = try Store(configuration: configuration)
    XCTAssertEqual(store.objects(Card.self).count, 10)
    let writer = try child("edit")
    XCTAssertEqual(try writer.requiredLine(), "ready")
    XCTAssertEqual(store.objects(Card.self).count, 10, "it has not written yet")

    try XCTSkipIf(getuid() != 0, "Only the superuser writes to files that may not be written.")
    for command in ["add", "edit", "edit"] {
      writer.send(command)
      XCTAssertEqual(try writer.requiredLine(), command)
    }

    XCTAssertThrowsError(try store.read {}) { error in
      guard case .storeReplaced? = error as? StoreError else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(store.objects(Card.self).count, 0)
    XCTAssertNotNil(store.failure)
  }

  func testAnImmutableStoreIsNotTouchedEvenWhereItCouldBe() throws {
    do {
      let store = try store()
      try store.write { try store.add(Card("a")) }
      store.close()
    }
    let url = URL(fileURLWithPath: try path())
    for name in ["lock.mdb", "signal"] {
      try FileManager.default.removeItem(at: url.appendingPathComponent(name))
    }
    let before = DirectoryContents(of: url)
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.immutable = true
    let store = try Store(configuration: configuration)
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["a"])
    XCTAssertFalse(store.waitForChanges(timeout: .milliseconds(1)))
    XCTAssertNoThrow(try store.verify())
    XCTAssertThrowsError(try store.write {}) { XCTAssertEqual($0 as? StoreError, .readOnly) }
    XCTAssertEqual(DirectoryContents(of: url), before)

    // Who may have to do with writers does not share it.
    for isReader in [true, false] {
      var other = try temporaryDirectory().configuration(objectTypes: [Card.self])
      other.readOnly = isReader
      XCTAssertThrowsError(try Store(configuration: other)) { error in
        guard case .alreadyOpenDifferently? = error as? StoreError else {
          return XCTFail("\(error)")
        }
      }
    }
    store.close()
  }

  func testAMissingStoreIsNotMade() throws {
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.immutable = true
    XCTAssertThrowsError(try Store(configuration: configuration)) { error in
      guard case .fileNotFound? = error as? StoreError else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: temporaryDirectory().url.path), [])
  }

  // MARK: Mounts

  /// Runs a line of shell with its own mounts; `$CHILD` is the other program, `$PLACE` the test's
  /// directory.
  private func shell(_ line: String, errors: inout String) throws -> [String] {
    let place = try temporaryDirectory().url.path
    let script = "PATH=$PATH:/usr/sbin:/sbin; unshare -m sh -c '\(line)'"
    let shell = try ChildProcess(
      "/bin/sh", ["-c", script],
      environment: ["CHILD": BuildProducts.executable("leyden-test-child"), "PLACE": place])
    let lines = try shell.remainingLines(within: .seconds(120))
    let ending = try shell.wait()
    try XCTSkipIf(
      ending == .exited(77) || shell.errorOutput.contains("unshare"), "This user may not mount.")
    XCTAssertEqual(ending, .exited(0), shell.errorOutput)
    errors = shell.errorOutput
    return lines
  }

  private func shell(_ line: String) throws -> [String] {
    var errors = ""
    return try shell(line, errors: &errors)
  }

  func testAReadOnlyMountIsRead() throws {
    try prepare(withLock: false)
    let url = URL(fileURLWithPath: try path())
    let before = DirectoryContents(of: url)
    for way in ["readOnly", "immutable"] {
      let lines = try shell(
        """
        mount --bind $PLACE $PLACE && mount -o remount,bind,ro $PLACE || exit 77
        $CHILD read-once \(way) $PLACE/Test.leyden
        """)
      XCTAssertEqual(lines, ["10", "readOnly"], way)
    }
    XCTAssertEqual(DirectoryContents(of: url), before)
  }

  func testAFullDiskLeavesTheStoreAsItIs() throws {
    var errors = ""
    let lines = try shell(
      """
      mount -t tmpfs -o size=8m none $PLACE || exit 77
      $CHILD full-disk $PLACE
      """, errors: &errors)
    XCTAssertTrue(errors.contains("Full.leyden was not compacted: The disk"), errors)
    XCTAssertEqual(
      lines,
      [
        "diskFull", "diskFull", "200", #"["Full.leyden", "ballast"]"#,
        #"["data.mdb", "lock.mdb", "signal"]"#,
        "true", "()", "200", #"["Copy.leyden", "Full.leyden"]"#,
        #"["data.mdb", "lock.mdb", "signal"]"#,
      ])
  }

  func testProcessesThatCannotTellEachOtherApartAreRefused() throws {
    try prepare()
    try setMode(0o755, of: path())
    // In a process namespace of its own each is number 1.
    let lines = try shell(
      """
      unshare --pid --fork true || exit 77
      mkfifo $PLACE/in && mkfifo $PLACE/out
      unshare --pid --fork $CHILD read $PLACE/Test.leyden < $PLACE/in > $PLACE/out &
      exec 3> $PLACE/in 4< $PLACE/out && read line <&4 && echo reading
      unshare --pid --fork $CHILD count $PLACE/Test.leyden 2>&1
      exec 3>&- && wait
      unshare --pid --fork $CHILD count $PLACE/Test.leyden
      """)
    XCTAssertEqual(lines.count, 3)
    XCTAssertEqual(lines.first, "reading")
    XCTAssertTrue(lines.dropFirst().first?.contains("share their process numbers") ?? false)
    XCTAssertEqual(lines.last, "10")
  }

  func testAStoreInALowerLayerIsReadAndWrittenAsOne() throws {
    do {
      let store = try store()
      try store.write { for number in 0..<10 { try store.add(Card("\(number)", rank: 0)) } }
      store.close()
    }
    let lines = try shell(
      """
      mkdir $PLACE/top && mount -t tmpfs none $PLACE/top || exit 77
      cd $PLACE/top && mkdir upper work merged || exit 77
      mount -t overlay -o lowerdir=$PLACE/Test.leyden,upperdir=upper,workdir=work none merged || exit 77
      $CHILD read-once immutable merged && ls upper && echo immutable
      $CHILD read-once readOnly merged && echo reader
      $CHILD read-once plain merged && $CHILD count merged && $CHILD compact-once merged
      $CHILD count merged
      """)
    XCTAssertEqual(
      lines,
      [
        "10", "readOnly", "immutable", "10", "readOnly", "reader", "10", "x", "11", "true", "11",
      ])
  }
}
