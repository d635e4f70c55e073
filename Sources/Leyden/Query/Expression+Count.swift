extension Expression {
  /// How many things fulfil the condition, of the first collection that it goes through; 1 or 0 where it
  /// goes through none.
  var count: Operand {
    guard let way = wayToCollection else {
      return .choice(self, .constant(.int(1)), .constant(.int(0)))
    }
    return count(along: way)
  }

  /// The steps to the first collection.
  private var wayToCollection: [PathStep]? {
    switch self {
    case .along(let step, let condition):
      step.leadsToOne ? condition.wayToCollection.map { [step] + $0 } : [step]
    case .and(let parts), .or(let parts): parts.lazy.compactMap(\.wayToCollection).first
    case .not(let part): part.wayToCollection
    default: nil
    }
  }

  private func count(along way: [PathStep]) -> Operand {
    if let condition = asked(atTheEndOf: way[...]) { return .count(way, condition) }
    // What is asked of the owner has one answer for all elements.
    guard let other = part(besides: way) else { return .constant(.int(0)) }
    return .choice(
      other, assuming(other, true, way).count(along: way),
      assuming(other, false, way).count(along: way))
  }

  /// The condition on each thing that steps lead to; `nil` where it asks for something else as well.
  private func asked(atTheEndOf way: ArraySlice<PathStep>) -> Expression? {
    func all(_ parts: [Expression]) -> [Expression]? {
      let asked = parts.compactMap { $0.asked(atTheEndOf: way) }
      return asked.count == parts.count ? asked : nil
    }
    switch self {
    case .constant: return self
    case .along(let step, let condition) where step == way.first:
      return way.count == 1 ? condition : condition.asked(atTheEndOf: way.dropFirst())
    case .and(let parts): return all(parts).map { .and($0) }
    case .or(let parts): return all(parts).map { .or($0) }
    case .not(let part): return part.asked(atTheEndOf: way).map { .not($0) }
    default: return nil
    }
  }

  /// Whether some of it is asked of what steps lead to.
  private func mentions(_ way: [PathStep]) -> Bool {
    switch self {
    case .along: asked(atTheEndOf: way[...]) != nil
    case .and(let parts), .or(let parts): parts.contains { $0.mentions(way) }
    case .not(let part): part.mentions(way)
    default: false
    }
  }

  private var isConstant: Bool { if case .constant = self { true } else { false } }

  /// A part, as large as there is one, that is not asked of what steps lead to.
  private func part(besides way: [PathStep]) -> Expression? {
    guard mentions(way) else { return isConstant ? nil : self }
    switch self {
    case .and(let parts), .or(let parts):
      let others = parts.filter { !$0.mentions(way) && !$0.isConstant }
      guard others.isEmpty else { return joined(others) }
      return parts.lazy.compactMap { $0.part(besides: way) }.first
    case .not(let part): return part.part(besides: way)
    default: return nil
    }
  }

  /// The condition where such a part is known.
  private func assuming(_ part: Expression, _ answer: Bool, _ way: [PathStep]) -> Expression {
    if self == part { return .constant(answer) }
    switch self {
    case .and(let parts), .or(let parts):
      let others = parts.filter { !$0.mentions(way) && !$0.isConstant }
      guard !others.isEmpty, joined(others) == part else {
        return joined(parts.map { $0.assuming(part, answer, way) })
      }
      return joined([.constant(answer)] + parts.filter { $0.mentions(way) || $0.isConstant })
    case .not(let inner): return .not(inner.assuming(part, answer, way))
    default: return self
    }
  }

  /// Parts that are joined as this one's are.
  private func joined(_ parts: [Expression]) -> Expression {
    if parts.count == 1 { return parts[0] }
    if case .or = self { return .or(parts) }
    return .and(parts)
  }
}
