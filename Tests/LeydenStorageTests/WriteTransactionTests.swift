import Foundation
import LeydenStorage
import XCTest

final class WriteTransactionTests: StorageTestCase {
  func testWhatIsCommittedIsReadAfterOpeningAgain() throws {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")
      try write.put("value", for: "key", in: table)
    }

    let read = try open().beginRead()

    let table = try XCTUnwrap(read.table(named: "t1"))
    XCTAssertEqual(try read.text(for: "key", in: table), "value")
    XCTAssertEqual(try read.count(of: table), 1)
    XCTAssertEqual(try read.pages(of: table), 1)
  }

  func testAnAbortedWriteLeavesNothing() throws {
    let environment = try open()
    let write = try environment.beginWrite()
    let table = try write.makeTable(named: "t1")
    try write.put("value", for: "key", in: table)

    write.abort()

    XCTAssertNil(try environment.beginRead().table(named: "t1"))
    try self.write(to: environment) { XCTAssertNil(try $0.table(named: "t1")) }
  }

  func testAReleasedWriteIsAborted() throws {
    let environment = try open()
    var write: WriteTransaction? = try environment.beginWrite()
    _ = try write?.makeTable(named: "t1")

    write = nil

    XCTAssertNil(write)
    XCTAssertNil(try environment.beginRead().table(named: "t1"))
    XCTAssertNoThrow(try self.write(to: environment) { _ in })
  }

  func testASecondWriteOfTheThreadIsRefusedInAnyEnvironment() throws {
    let environment = try open()
    let other = try Environment.open(
      at: directory + "/Other.leyden", options: Environment.Options(durability: .unsafe))
    let write = try environment.beginWrite()

    assertThrows(.nestedWrite, try environment.beginWrite())
    assertThrows(.nestedWrite, try other.beginWrite())

    write.abort()
    XCTAssertNoThrow(try self.write(to: other) { _ in })
  }

  func testAnEndedWriteRefusesEverything() throws {
    let environment = try open()
    let write = try environment.beginWrite()
    let table = try write.makeTable(named: "t1")
    try write.commit()

    assertThrows(.closed, try write.put("v", for: "k", in: table))
    assertThrows(.closed, try write.text(for: "k", in: table))
    assertThrows(.closed, try write.table(named: "t1"))
    assertThrows(.closed, try write.commit())
    XCTAssertNoThrow(write.abort())
  }

  func testInsertingLeavesWhatIsThere() throws {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")

      XCTAssertTrue(try write.insert("first", for: "k", in: table))
      XCTAssertFalse(try write.insert("second", for: "k", in: table))

      XCTAssertEqual(try write.text(for: "k", in: table), "first")
    }
  }

  func testDeletingTellsWhetherThereWasSomething() throws {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")
      try write.put("v", for: "k", in: table)

      XCTAssertTrue(try write.delete("k", in: table))
      XCTAssertFalse(try write.delete("k", in: table))
      XCTAssertFalse(try write.delete("", in: table))
    }
  }

  func testAppendingOutOfOrderIsPutting() throws {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")
      let value: [UInt8] = [7]
      unsafe try value.withUnsafeBytes { value in
        for row in [UInt64(1), 3, 2, 3] { unsafe try write.append(value, forRow: row, in: table) }
      }

      var cursor = try write.cursor(in: table)
      var rows: [UInt64] = []
      while try cursor.next() { rows.append(cursor.row) }
      XCTAssertEqual(rows, [1, 2, 3])
    }
  }

  func testKeysOfTheWrongSizeAreRefusedAndTheWriteGoesOn() throws {
    let environment = try open()

    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      let long = String(repeating: "k", count: WriteTransaction.longestKey)
      try write.put("v", for: long, in: table)
      assertThrows(.valueTooLarge(bytes: 512), try write.put("v", for: long + "k", in: table))
      assertThrows(.valueTooLarge(bytes: 0), try write.put("v", for: "", in: table))
      XCTAssertNil(try write.text(for: long + "k", in: table))
    }

    let read = try environment.beginRead()
    XCTAssertEqual(try read.count(of: XCTUnwrap(read.table(named: "t1"))), 1)
  }

  func testAnEmptiedTableStays() throws {
    let environment = try open()
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      for number in 0..<1000 { try write.put("v", for: "\(number)", in: table) }
    }

    try write(to: environment) { try $0.removeAll(in: $0.makeTable(named: "t1")) }

    let read = try environment.beginRead()
    XCTAssertEqual(try read.count(of: XCTUnwrap(read.table(named: "t1"))), 0)
  }

  func testTheFirstFailureIsTheOneReported() throws {
    let environment = try open(mapSize: 1 << 20)
    let write = try environment.beginWrite()
    let table = try write.makeTable(named: "t1")
    let value = String(repeating: "v", count: 100_000)
    assertThrows(.mapFull) {
      for number in 0..<100 { try write.put(value, for: "\(number)", in: table) }
    }

    assertThrows(.mapFull, try write.put("v", for: "k", in: table))
    assertThrows(.mapFull, try write.text(for: "k", in: table))
    assertThrows(.mapFull, try write.commit())

    assertThrows(.closed, try write.commit())
    XCTAssertNil(try environment.beginRead().table(named: "t1"))
  }

  func testAFullDiskFailsTheCommitAndNothingElse() throws {
    let environment = try open()
    try write(to: environment) { try $0.put("old", for: "k", in: $0.makeTable(named: "t1")) }
    let size = environment.fileSize

    try withFileSizeLimit(size + (64 << 10)) {
      assertThrows(.diskFull) {
        try write(to: environment) { write in
          let table = try write.makeTable(named: "t1")
          try write.put("new", for: "k", in: table)
          for number in 0..<100 {
            try write.put(String(repeating: "v", count: 4000), for: "\(number)", in: table)
          }
        }
      }
    }

    let read = try environment.beginRead()
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t1"))), "old")
    XCTAssertNoThrow(
      try write(to: environment) { try $0.put("new", for: "k", in: $0.makeTable(named: "t1")) })
  }

  // MARK: Savepoints

  func testAnAbortedStepIsUndoneAlone() throws {
    let environment = try open()
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      try write.put("before", for: "k", in: table)
      try write.beginSavepoint()
      try write.put("inside", for: "k", in: table)
      _ = try write.makeTable(named: "t2")

      write.abortSavepoint()

      XCTAssertEqual(try write.text(for: "k", in: table), "before")
      XCTAssertNil(try write.table(named: "t2"))
    }
    let read = try environment.beginRead()
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t1"))), "before")
    XCTAssertNil(try read.table(named: "t2"))
  }

  func testACommittedStepIsPartOfTheWrite() throws {
    let environment = try open()
    try write(to: environment) { write in
      try write.beginSavepoint()
      let table = try write.makeTable(named: "t1")
      try write.put("v", for: "outer", in: table)
      try write.beginSavepoint()
      try write.put("v", for: "inner", in: table)
      try write.commitSavepoint()
      try write.commitSavepoint()
    }

    let read = try environment.beginRead()
    let table = try XCTUnwrap(read.table(named: "t1"))
    XCTAssertEqual(try read.entries(of: table), [["inner", "v"], ["outer", "v"]])
  }

  func testAStepThatDoesNotFitLeavesTheRestUsable() throws {
    let environment = try open(mapSize: 1 << 20)
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      try write.put("v", for: "k", in: table)
      try write.beginSavepoint()
      let value = String(repeating: "v", count: 100_000)
      assertThrows(.mapFull) {
        for number in 0..<100 { try write.put(value, for: "\(number)", in: table) }
      }

      assertThrows(.mapFull, try write.commitSavepoint())

      try write.put("w", for: "k", in: table)
    }
    let read = try environment.beginRead()
    XCTAssertEqual(try read.entries(of: XCTUnwrap(read.table(named: "t1"))), [["k", "w"]])
  }

  // MARK: Against a model

  func testRandomChangesGiveWhatADictionaryGives() throws {
    for seed in UInt64(1)...5 {
      var random = SplitMix(state: seed)
      var model: [String: [String: String]] = [:]
      for round in 0..<30 {
        // Some rounds with a fresh environment: the last reference closes it.
        let environment = try Environment.open(
          at: "\(directory)/\(seed).leyden", options: Environment.Options(durability: .unsafe))
        let write = try environment.beginWrite()
        var attempt = model
        for _ in 0..<40 { try change(&attempt, write, &random) }
        if Int.random(in: 0..<4, using: &random) == 0 {
          write.abort()
        } else {
          try write.commit()
          model = attempt
        }

        let read = try environment.beginRead()
        for name in ["a", "b", "c"] {
          let expected = model[name].map {
            $0.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
          }
          let table = try read.table(named: name)
          let found = try table.map { try read.entries(of: $0) }
          XCTAssertEqual(found, expected, "seed \(seed), round \(round), table \(name)")
        }
      }
    }
  }

  private func change(
    _ model: inout [String: [String: String]], _ write: WriteTransaction,
    _ random: inout SplitMix
  ) throws {
    let name = ["a", "b", "c"].randomElement(using: &random) ?? "a"
    let table = try write.makeTable(named: name)
    let key = "\(Int.random(in: 0..<60, using: &random))"
    let value = String(repeating: key, count: Int.random(in: 0..<900, using: &random))
    var entries = model[name] ?? [:]
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      try write.removeAll(in: table)
      entries = [:]
    case 1..<7:
      let wasThere = entries.removeValue(forKey: key) != nil
      XCTAssertEqual(try write.delete(key, in: table), wasThere)
    case 7..<10:
      let isNew = entries[key] == nil
      XCTAssertEqual(try write.insert(value, for: key, in: table), isNew)
      if isNew { entries[key] = value }
    case 10:
      try write.beginSavepoint()
      try write.put("undone", for: key, in: table)
      XCTAssertEqual(try write.firstKey(from: key, in: table), key)
      write.abortSavepoint()
    case 11:
      try write.beginSavepoint()
      _ = try write.firstKey(from: key, in: table)
      try write.put(value, for: key, in: table)
      try write.commitSavepoint()
      entries[key] = value
    case 12..<15:
      let expected = entries.keys.filter { $0 >= key }.min()
      XCTAssertEqual(try write.firstKey(from: key, in: table), expected)
    default:
      try write.put(value, for: key, in: table)
      entries[key] = value
    }
    model[name] = entries
  }

  /// Runs `body` while no file may grow beyond `size` bytes.
  private func withFileSizeLimit(_ size: Int, _ body: () throws -> Void) throws {
    var old = rlimit()
    signal(SIGXFSZ, SIG_IGN)
    XCTAssertEqual(unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old), 0)
    var new = old
    new.rlim_cur = rlim_t(size)
    XCTAssertEqual(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &new), 0)
    defer { unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old) }
    try body()
  }
}

/// A generator that gives the same numbers for the same seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
