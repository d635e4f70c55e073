import Foundation
import Leyden

/// An object with lists.
final class Album: Object {
  @Persisted var numbers: List<Int>
  @Persisted var tracks: List<Track>
}

/// What a list of objects holds.
final class Track: Object {
  @Persisted var length: Int
}

/// Asks what one step on a long list costs, and whether that depends on its length.
struct UseLists: Question {
  let name = "list"
  private let steps = 1_000

  func title(_ options: Options) -> String {
    "one element of a list of \(options.notes), at random positions"
  }

  func measure(_ report: Report) throws {
    report.begin()
    let stores = try Stores()
    let store = try Store(
      configuration: Stores.configuration(in: stores.directory, of: Album.self))
    let count = report.options.notes
    let album = try store.write {
      let album = try store.add(Album())
      album.numbers.append(contentsOf: 0..<count)
      album.tracks.append(contentsOf: (0..<count).map { _ in Track() })
      return album
    }
    let plain = try stores.plain()
    try readAndChange(report, store, album, plain.list(count), positions(below: count))
    for count in [1_000, count] { try commit(report, store, plain.list(count), count) }
  }

  private func positions(below count: Int) -> [UInt32] {
    var generator = Shuffle(state: 7)
    return (0..<steps).map { _ in UInt32(generator.next() % UInt64(count)) }
  }

  private func readAndChange(
    _ report: Report, _ store: Store, _ album: Album, _ plain: PlainList, _ places: [UInt32]
  ) throws {
    let numbers = album.numbers
    try report.row(
      "read an Int, in read { }", operations: steps,
      leyden: {
        try store.read {
          nanoseconds { use(places.reduce(0) { $0 &+ numbers[Int($1)] }) }
        }
      }, lmdb: { nanoseconds { plain.sum(places) } })
    try change(
      report, "insert an Int, in a write", store, plain.write, { plain.insert(places) }
    ) {
      for place in places { numbers.insert(7, at: Int(place)) }
    }
    try change(
      report, "move an Int", store, plain.write, { plain.move(places) }
    ) {
      for (from, to) in zip(places, places.reversed()) {
        numbers.move(from: Int(from), to: Int(to))
      }
    }
    try change(
      report, "remove an Int", store, plain.write, { plain.remove(places) }
    ) {
      for place in places { numbers.remove(at: Int(place)) }
    }
    let tracks = album.tracks
    let track = tracks[0]
    try report.row(
      "read an object and its property", operations: steps,
      leyden: {
        try store.read {
          nanoseconds { use(places.reduce(0) { $0 &+ tracks[Int($1)].length }) }
        }
      })
    try change(report, "insert an object, in a write", store) {
      for place in places { tracks.insert(track, at: Int(place)) }
    }
    try change(report, "move an object", store) {
      for (from, to) in zip(places, places.reversed()) { tracks.move(from: Int(from), to: Int(to)) }
    }
    try change(report, "remove an object", store) {
      for place in places { tracks.remove(at: Int(place)) }
    }
  }

  /// Measures the steps of a write, without its end.
  private func change(
    _ report: Report, _ label: String, _ store: Store,
    _ writePlain: ((() -> Double) -> Double)? = nil, _ changePlain: (() -> Void)? = nil,
    _ change: @escaping () -> Void
  ) throws {
    try report.row(
      label, operations: steps,
      leyden: { try store.write { nanoseconds(change) } },
      lmdb: changePlain.flatMap { changePlain in
        writePlain.map { write in { write { nanoseconds(changePlain) } } }
      })
  }

  /// Measures writes of one step.
  private func commit(
    _ report: Report, _ store: Store, _ plain: PlainList, _ count: Int
  ) throws {
    let album = try store.write {
      let album = try store.add(Album())
      album.numbers.append(contentsOf: 0..<count)
      return album
    }
    let places = positions(below: count)
    try report.row(
      "insert one in a write of its own, of \(count)", operations: steps,
      leyden: {
        try nanoseconds {
          for place in places { try store.write { album.numbers.insert(7, at: Int(place)) } }
        }
      },
      lmdb: {
        nanoseconds {
          for place in places { use(plain.write { nanoseconds { plain.insert([place]) } }) }
        }
      })
  }
}

/// Numbers that are the same in every run.
private struct Shuffle {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
