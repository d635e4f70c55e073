// What sets are asked and done to with other sets, and any other sequences. A set may be given itself.
extension MutableSet {
  // MARK: Comparing

  /// Whether all elements are among others.
  public func isSubset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
    let others = Set(other.map { ElementIdentity($0) })
    return fixed.allSatisfy { others.contains(ElementIdentity($0)) }
  }

  /// Whether all of others are elements.
  public func isSuperset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
    let own = Set(fixed.map { ElementIdentity($0) })
    return other.allSatisfy { own.contains(ElementIdentity($0)) }
  }

  /// Whether an element is among others.
  public func intersects<S: Sequence>(_ other: S) -> Bool where S.Element == Element {
    let own = Set(fixed.map { ElementIdentity($0) })
    return other.contains { own.contains(ElementIdentity($0)) }
  }

  /// Whether no element is among others.
  public func isDisjoint<S: Sequence>(with other: S) -> Bool where S.Element == Element {
    !intersects(other)
  }

  // MARK: Changing

  /// Puts others into the set, as far as they are not there.
  public func formUnion<S: Sequence>(_ other: S) where S.Element == Element {
    insert(contentsOf: other)
  }

  /// Takes everything out of the set that is not among others.
  public func formIntersection<S: Sequence>(_ other: S) where S.Element == Element {
    let kept = Set(other.map { ElementIdentity($0) })
    remove(contentsOf: fixed.filter { !kept.contains(ElementIdentity($0)) })
  }

  /// Takes others out of the set.
  public func subtract<S: Sequence>(_ other: S) where S.Element == Element {
    remove(contentsOf: other)
  }

  /// Takes what is among others out of the set, and puts the rest of them into it.
  public func formSymmetricDifference<S: Sequence>(_ other: S) where S.Element == Element {
    let others = UniqueElements(other).all
    let own = Set(fixed.map { ElementIdentity($0) })
    remove(contentsOf: others.filter { own.contains(ElementIdentity($0)) })
    insert(contentsOf: others.filter { !own.contains(ElementIdentity($0)) })
  }

  // MARK: New sets

  /// The elements and others, as a set of the standard library.
  public func union<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
    Set(fixed).union(other)
  }

  /// The elements that are among others, as a set of the standard library.
  public func intersection<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
    let others = Set(other.map { ElementIdentity($0) })
    return Set(fixed.filter { others.contains(ElementIdentity($0)) })
  }

  /// The elements that are not among others, as a set of the standard library.
  public func subtracting<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
    let others = Set(other.map { ElementIdentity($0) })
    return Set(fixed.filter { !others.contains(ElementIdentity($0)) })
  }
}
