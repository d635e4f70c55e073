import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Short random programs against a plain array: with and without indexes, over several stores of one
/// file, rolled back, observed and opened again, the answers are those of the array.
final class RandomQueryTests: XCTestCase {
  func testEveryProgramEndsAsItDoesWithAnArray() throws {
    for seed in 1...UInt64(testScale(520)) {
      var program = try Program(seed: seed)
      if let problem = try program.run() { return XCTFail("seed \(seed): \(problem)") }
    }
  }
}

/// One program: a few writes, and questions after each.
private struct Program {
  private let directory = Result { try TemporaryDirectory() }
  private let seed: UInt64
  private var random: SeededGenerator
  private var values: [LeafValue] = []
  private var names = 0
  private var stores: [Store] = []
  private var observed: [(question: LeafQuestion, recorder: ChangeRecorder<Leaf, LeafValue>)] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    try open()
  }

  private mutating func open() throws {
    for store in stores { store.close() }
    stores = []
    for _ in 0..<2 { stores.append(try directory.get().store(objectTypes: [Leaf.self])) }
    let question = LeafQuestion.random(&random, hasSteps: false)
    observed = Ways.texts.indices.map { way in
      (question, ChangeRecorder(question.results(stores[0], way), reading: \.value))
    }
  }

  /// Runs the program.
  ///
  /// - Returns: What was wrong.
  mutating func run() throws -> String? {
    let reopening = Int.random(in: 1...3, using: &random)
    for step in 0..<5 {
      if step == reopening { try open() }
      // The second store's commits are told to the first one with its own next one, or on demand.
      let writer = stores[Int.random(in: 0...2, using: &random) / 2]
      if let problem = try write(to: writer) { return "step \(step): \(problem)" }
      if writer === stores[1], Bool.random(using: &random) { continue }
      if writer === stores[1] { stores[0].refresh() }
      for _ in 0..<2 {
        let question = LeafQuestion.random(&random, hasSteps: true)
        if let problem = ask(question, stores[0], values) { return "step \(step): \(problem)" }
      }
      if let problem = check() { return "step \(step): \(problem)" }
    }
    stores[0].refresh()
    return check() ?? stores.compactMap(\.failure).first.map { "\($0)" }
  }

  /// What observers know, and what keys find.
  private func check() -> String? {
    for (question, recorder) in observed {
      if let problem = recorder.violations.first { return "observed\(question.name): \(problem)" }
      if let error = recorder.errors.first { return "observed\(question.name): \(error)" }
      if recorder.values != question.expected(values) { return "observed\(question.name)" }
    }
    for value in values.prefix(3) {
      let found = stores[0].object(ofType: Leaf.self, forPrimaryKey: value.identifier)
      if found?.value != value { return "\(value.identifier) is not what it should be" }
    }
    return nil
  }

  /// Asks in each way.
  private func ask(_ question: LeafQuestion, _ store: Store, _ values: [LeafValue]) -> String? {
    let expected = question.expected(values)
    for way in Ways.texts.indices {
      let results = question.results(store, way)
      let context = "\(Ways.texts[way].name)\(question.name) (\(results.explain()))"
      if results.map(\.value) != expected {
        return
          "\(context): \(results.map(\.identifier)) for \(expected.map(\.identifier))"
      }
      if results.count != expected.count { return "\(context): count" }
      if results.first?.value != expected.first { return "\(context): first" }
      if results.last?.value != expected.last { return "\(context): last" }
    }
    return nil
  }

  private mutating func write(to store: Store) throws -> String? {
    var after = values
    try store.beginWrite()
    for _ in 0..<Int.random(in: 1...8, using: &random) { try change(store, &after) }
    if Int.random(in: 0..<4, using: &random) == 0 {
      let question = LeafQuestion.random(&random, hasSteps: true)
      if let problem = ask(question, store, after) { return "in the write, \(problem)" }
    }
    if Int.random(in: 0..<5, using: &random) == 0 {
      try store.cancelWrite()
    } else {
      try store.commitWrite()
      values = after
    }
    return nil
  }

  /// Makes one change to a store and to the array.
  private mutating func change(_ store: Store, _ after: inout [LeafValue]) throws {
    let position = after.indices.randomElement(using: &random) ?? 0
    let choice = after.isEmpty ? 0 : Int.random(in: 0..<10, using: &random)
    guard choice >= 3 else {
      names += 1
      let value = LeafQuestion.random("\(seed)-\(names)", &random)
      after.append(value)
      let leaf = Leaf(value.identifier)
      if choice == 0 { leaf.take(value) }
      try store.add(leaf)
      if choice != 0 { leaf.take(value) }
      return
    }
    let old = after[position]
    let value = LeafQuestion.random(old.identifier, &random)
    let leaf = store.object(ofType: Leaf.self, forPrimaryKey: old.identifier)
    switch choice {
    case 3, 4:
      leaf?.take(value)
      after[position] = value
    case 5:
      leaf?.set(text: value.text)
      leaf?.set(rank: value.rank)
      (after[position].text, after[position].rank) = (value.text, value.rank)
    case 6:
      let update = Leaf(old.identifier)
      update.take(value)
      try store.add(update, update: .modified)
      after[position] = value
    case 7:
      leaf?.take(value)
      leaf?.take(old)
    case 8:
      if let leaf { try store.delete(leaf) }
      after.remove(at: position)
    default:
      if let leaf { try store.delete(leaf) }
      let again = Leaf(old.identifier)
      again.take(value)
      try store.add(again)
      after.remove(at: position)
      after.append(value)
    }
  }
}
