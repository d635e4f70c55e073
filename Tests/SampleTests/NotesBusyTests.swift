import Foundation
import Leyden
import NotesKit
import TestSupport
import XCTest

/// Notes while another process is inside a write and does not go on.
final class NotesBusyTests: SampleTestCase {
  /// A process that is inside a write, and was halted there.
  private func haltedWriter() throws -> ChildProcess {
    let holder = try ChildProcess("leyden-test-child", ["hold", storeURL.path])
    XCTAssertEqual(try holder.requiredLine(), "holding")
    holder.signal(SIGSTOP)
    return holder
  }

  /// Starts `notes add`, and waits until it has said for whom it waits.
  private func add(_ title: String, waitingFor holder: ChildProcess) throws -> Process {
    let process = try program("notes", ["add", title]).process()
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    let lines = StreamReader(errors.fileHandleForReading)
    try process.run()
    addTeardownBlock { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    let line = try XCTUnwrap(lines.line())
    XCTAssertTrue(line.contains("waiting for process \(holder.identifier),"), line)
    return process
  }

  private func titles() throws -> [String] {
    try notes("list", "--format", "plain").output.split(separator: "\n").map { line in
      String(line.split(separator: "\t")[1])
    }.sorted()
  }

  func testAHaltedWriterIsNamedAndHoldsUpWritersOnly() throws {
    #if !os(Linux)
      throw XCTSkip("Who writes is told on Linux only.")
    #endif
    try notes("add", "Milk")
    let holder = try haltedWriter()

    XCTAssertEqual(try titles(), ["Milk"])
    XCTAssertEqual(try program("notes-watch", ["--once"]).run().status, 0)

    let impatient = try add("Bread", waitingFor: holder)
    kill(impatient.processIdentifier, SIGINT)
    impatient.waitUntilExit()
    XCTAssertEqual(impatient.terminationStatus, 130)

    let patient = try add("Bread", waitingFor: holder)
    holder.signal(SIGCONT)
    holder.closeInput()
    patient.waitUntilExit()
    XCTAssertEqual(patient.terminationStatus, 0)
    XCTAssertEqual(try holder.wait(), .exited(0))
    XCTAssertEqual(try titles(), ["Bread", "Milk"])
  }

  func testAfterAHaltedWriterWasKilledTheNextOneGoesOn() throws {
    #if !os(Linux)
      throw XCTSkip("Who writes is told on Linux only.")
    #endif
    try notes("add", "Milk")
    let holder = try haltedWriter()

    let adding = try add("Bread", waitingFor: holder)
    holder.signal(SIGKILL)
    adding.waitUntilExit()

    XCTAssertEqual(adding.terminationStatus, 0)
    XCTAssertEqual(try titles(), ["Bread", "Milk"])
    let store = try Store(
      configuration: .init(fileURL: storeURL, objectTypes: [StoredNote.self, Card.self]))
    XCTAssertEqual(store.objects(Card.self).count, 0, "what was held is not there")
    XCTAssertNil(store.diagnostics.writingProcess)
    XCTAssertNoThrow(try store.verify())
  }
}
