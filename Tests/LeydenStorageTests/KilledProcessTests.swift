import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class KilledProcessTests: StorageTestCase {
  func testWhatAKilledWriterCommittedIsWholeAndTheNextOneGoesOn() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(state: seed)
    let environment = try open()
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      for account in 0..<8 { try write.put("100", for: "\(account)", in: table) }
    }
    var transfers = 0

    for round in 0..<25 {
      let ticket = environment.signal.ticket
      let childSeed = random.next()
      let children = try (0..<2).map { number in
        try ForkedChild { try transferForEver(seed: childSeed &+ number) }
      }
      // Let them do something, and then stop them in the middle of anything.
      XCTAssertTrue(environment.signal.wait(since: ticket, timeout: .seconds(20)))
      for _ in 0..<Int.random(in: 0..<20, using: &random) {
        _ = environment.signal.wait(since: environment.signal.ticket, timeout: .seconds(20))
      }
      for child in children { child.kill() }

      _ = environment.checkReaders()
      try write(to: environment) { write in
        let table = try XCTUnwrap(write.table(named: "t1"))
        let balances = try (0..<8).map { try write.text(for: "\($0)", in: table) ?? "" }
        let sum = balances.compactMap { Int($0) }.reduce(0, +)
        XCTAssertEqual(sum, 800, "seed \(seed), round \(round)")
        let newTransfers = Int(try write.text(for: "transfers", in: table) ?? "") ?? 0
        XCTAssertGreaterThan(newTransfers, transfers, "seed \(seed), round \(round)")
        transfers = newTransfers
      }
    }
  }

  /// Moves units between accounts, one transfer in each commit, until it is killed.
  private func transferForEver(seed: UInt64) throws -> UInt8 {
    var random = SplitMix(state: seed)
    let environment = try open()
    while true {
      var transfers = 0
      try write(to: environment) { write in
        let table = try XCTUnwrap(write.table(named: "t1"))
        func add(_ amount: Int, to key: String) throws -> Int {
          let balance = (Int(try write.text(for: key, in: table) ?? "") ?? 0) + amount
          try write.put("\(balance)", for: key, in: table)
          return balance
        }
        let amount = Int.random(in: 1..<50, using: &random)
        _ = try add(-amount, to: "\(Int.random(in: 0..<8, using: &random))")
        _ = try add(amount, to: "\(Int.random(in: 0..<8, using: &random))")
        transfers = try add(1, to: "transfers")
      }
      environment.signal.ring(version: UInt64(transfers))
    }
  }
}
