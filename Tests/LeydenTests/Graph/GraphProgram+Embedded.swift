import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Embedded objects, and what becomes of what they lead to.
extension GraphProgram {
  /// What becomes of a change.
  enum Outcome {
    case done
    /// A rule forbids it: nothing is changed.
    case denied
    /// A rule forbids what follows from it: the write fails.
    case broken
  }

  /// Lets properties of an object hold something else in the world, and deletes what embedded objects owned.
  func note(_ held: [String: Held], of number: Int) -> Outcome {
    let loss = world.loss(number, held)
    if loss.isDenied { return .denied }
    for (name, new) in held { world.nodes[number]?.held[name] = new }
    take(held.values.flatMap(\.links))
    if !loss.owned.isEmpty { figures.losses += 1 }
    return world.delete(loss.owned) ? .done : .broken
  }

  /// Notes a change that was made by setting something, and looks whether it was refused where it should be.
  func settle(_ new: Held, _ field: Field, of number: Int, _ live: Object) throws {
    let outcome = note([field.name: new], of: number)
    guard outcome != .done else { return }
    isRefused = true
    figures.refusals += 1
    let old = world.nodes[number]?.held[field.name]
    if outcome == .denied, field.read(live) != old {
      throw fail("\(number).\(field.name) was changed, which a rule denies")
    }
  }

  /// Changes a live embedded object.
  func change(in field: Field, of ship: Ship) throws {
    let number = ship.number
    guard var held = world.nodes[number]?.held[field.name] else { return }
    switch held {
    case .one(.visit(let item)):
      guard let visit = ship.latest else { return XCTFail("\(number) has no visit") }
      held = .one(.visit(change(visit, item)))
    case .list(let items) where !items.isEmpty:
      let position = random(items.count)
      guard case .visit(let item) = items[position] else { return }
      held.apply(.replace(position, .visit(change(ship.visits[position], item))))
    case .map(let items):
      guard let key = pick(items.keys.sorted()), case .visit(let item) = items[key],
        let visit = ship.planned[key] ?? nil
      else { return }
      held.apply(.put(key, .visit(change(visit, item))))
    default: return
    }
    try settle(held, field, of: number, ship)
  }

  private func change(_ visit: Visit, _ item: VisitItem) -> VisitItem {
    var item = item
    let number = pick(world.numbers(.port))
    let port = number.flatMap { find($0) as? Harbor }
    switch random(12) {
    case 0:
      item.day += 1
      visit.day += 1
    case 1:
      item.port = number.map { .link($0) } ?? .null
      visit.port = port
    case 2:
      guard let number, let port else { break }
      item.others.insert(.link(number), at: 0)
      visit.others.insert(port, at: 0)
    case 3:
      item.others = []
      visit.others.removeAll()
    case 4:
      let text = text()
      item.remark = .text(text)
      visit.remark = .string(text)
    case 5:
      item.stamp = nil
      visit.stamp = nil
    case 6:
      let stamp = stamp()
      item.stamp = stamp
      visit.stamp = Stamp(stamp, find)
    case 7:
      item.cargo = []
      visit.cargo.removeAll()
    case 8:
      guard let last = item.cargo.last, let crate = visit.cargo.last else { break }
      item.cargo.insert(last, at: 0)
      visit.cargo.insert(crate, at: 0)
    default: change(visit.stamps, &item.stamps)
    }
    return item
  }

  private func change(_ stamps: List<Stamp>, _ items: inout [StampItem]) {
    let stamp = stamp()
    guard let position = pick(Array(items.indices)), random(3) > 0 else {
      items.insert(stamp, at: 0)
      return stamps.insert(Stamp(stamp, find), at: 0)
    }
    switch random(6) {
    case 0:
      items.remove(at: position)
      stamps.remove(at: position)
    case 1:
      items.insert(items.remove(at: position), at: 0)
      stamps.move(from: position, to: 0)
    case 2:
      items[position] = stamp
      stamps[position] = Stamp(stamp, find)
    case 3:
      items[position].seal = .null
      stamps[position].seal = nil
    case 4:
      // A copy takes over what it leads to.
      items[0] = items[position]
      items[0].identity = Identity()
      stamps[0] = Stamp(items[0], find)
    default:
      items = []
      stamps.removeAll()
    }
  }

  // MARK: Values

  /// A visit with values of its own.
  func visit() -> VisitItem {
    var visit = VisitItem()
    visit.day = random(3)
    visit.port = link(.port, isOptional: true)
    let ports = world.numbers(.port)
    visit.others = (0..<random(4)).compactMap { _ in pick(ports).map { .link($0) } }
    visit.remark = random(2) == 0 ? .text(text()) : link(.ship, isOptional: true)
    visit.cargo = (0..<random(3)).map { _ in link(.crate, isOptional: false) }
    if random(8) == 0 { visit.tender = link(.ship, isOptional: true) }
    if random(2) == 0 { visit.stamp = stamp() }
    visit.stamps = (0..<random(3)).map { _ in stamp() }
    return visit
  }

  private func stamp() -> StampItem {
    var stamp = StampItem()
    stamp.port = link(.port, isOptional: true)
    if random(2) == 0 { stamp.crate = link(.crate, isOptional: false) }
    if random(12) == 0 { stamp.seal = link(.port, isOptional: true) }
    return stamp
  }

  /// A value, or a visit with the values of another one.
  func copy(_ atom: Atom) -> Atom {
    guard case .visit(let visit) = atom else { return atom }
    return .visit(visit.copy())
  }
}
