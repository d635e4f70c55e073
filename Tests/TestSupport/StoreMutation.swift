import LeydenTesting

/// A change of a store's bytes that nobody intended: the same one for the same numbers.
public struct StoreMutation: Sendable {
  /// What was done.
  public let name: String
  /// The file afterwards.
  public let bytes: [UInt8]
  /// What the changed bytes were for, without those that nobody reads.
  public let uses: Set<StoreBytes.Use>

  /// Changes a whole store's bytes.
  public init(_ store: StoreBytes, seed: UInt64, number: Int) {
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 7_919)
    func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    let used = store.used
    let pages = store.pages.sorted { $0.key < $1.key }.flatMap(\.value)
    func page() -> Int { pages[random(pages.count)] * StoreBytes.pageSize }
    func page(at start: Int) -> Range<Int> { start..<start + StoreBytes.pageSize }
    func byte() -> UInt8 { UInt8(random(256)) }
    var bytes = store.bytes
    var touched: [Range<Int>] = []
    func change(_ position: Int, _ body: (UInt8) -> UInt8) {
      bytes[position] = body(bytes[position])
      touched.append(position..<position + 1)
    }
    func copy(_ from: Int, to: Int) {
      bytes.replaceSubrange(page(at: to), with: store.bytes[page(at: from)])
      touched.append(page(at: to))
    }
    let name: String
    switch random(20) {
    case 0..<8:
      name = "bit"
      change(used[random(used.count)]) { $0 ^ 1 << UInt8(random(8)) }
    case 8..<11:
      name = "byte"
      change(used[random(used.count)]) { _ in byte() }
    case 11..<13:
      name = "bytes"
      let start = random(bytes.count)
      for position in start..<min(start + random(63) + 2, bytes.count) {
        change(position) { _ in byte() }
      }
    case 13..<15:
      name = "start of a page"
      change(page() + random(64)) { _ in byte() }
    case 15:
      name = "page of zeroes"
      for position in page(at: page()) { change(position) { _ in 0 } }
    case 16:
      name = "page over another"
      copy(page(), to: page())
    case 17:
      name = "pages swapped"
      let (first, second) = (page(), page())
      copy(first, to: second)
      copy(second, to: first)
    case 18:
      name = "cut off"
      let end = random(bytes.count)
      touched.append(end..<bytes.count)
      bytes.removeSubrange(end...)
    default:
      name = "bit anywhere"
      change(random(bytes.count)) { $0 ^ 1 << UInt8(random(8)) }
    }
    self.name = name
    self.bytes = bytes
    var changed: Set<StoreBytes.Use> = []
    for position in touched.joined() {
      guard let use = store.uses[position], !changed.contains(use),
        position >= bytes.count || bytes[position] != store.bytes[position]
      else { continue }
      changed.insert(use)
    }
    uses = changed
  }
}
