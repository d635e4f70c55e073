extension List {
  /// Calls `block` with the list as it is, and again after every change of it.
  ///
  ///     let token = card.labels.observe { change in
  ///       if case .update(let labels, let deletions, let insertions, let modifications) = change { … }
  ///     }
  ///
  /// Calls come in the same turns as those of results' observers: the first one is `.initial`, before `observe`
  /// returns (within a write: after it). Putting another element in the place of one is a modification, and so is
  /// the change of an object that is in the list, at each of its positions. An element that moved is a deletion
  /// and an insertion; as few as possible move. When the owner is deleted, the last call tells that all elements
  /// are gone; there is none where the list was empty.
  ///
  /// A list that no store has, one whose owner is deleted already and a wrong name give `.error`.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the objects in the list whose changes count as modifications, by name, also
  ///     through links (`"owner.age"`); `nil` means all of their own.
  ///   - block: Whom to tell. It is kept until the token is released or invalidated.
  /// - Returns: The token that keeps the observation alive.
  /// - Complexity: O(*n*) for each commit that changes the list, or an object in it, for *n* elements; O(1) for
  ///   others. The elements are kept in memory, as numbers.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (ObservedChange<List<Element>>) -> Void
  ) -> NotificationToken {
    CollectionHandle.observe(
      self, handle, keyPaths, of: Element.self, make: { List($0) },
      step: { block($1.told(of: $0)) },
      fail: { block(.error($0)) })
  }

  /// The changes as an asynchronous sequence, with moves and new positions; it ends when the list's owner is
  /// deleted.
  ///
  ///     for await change in card.labels.changes { … }
  public var changes: AsyncChanges<CollectionChange<List<Element>>> {
    CollectionHandle.changes(of: self, handle, Element.self)
  }
}

extension MutableSet {
  /// Calls `block` with the set as it is, and again after every change of it.
  ///
  /// As for a list; positions are those of the set's own order, and an element keeps its place among the others.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the objects in the set whose changes count as modifications, by name, also
  ///     through links; `nil` means all of their own.
  ///   - block: Whom to tell. It is kept until the token is released or invalidated.
  /// - Returns: The token that keeps the observation alive.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (ObservedChange<MutableSet<Element>>) -> Void
  ) -> NotificationToken {
    CollectionHandle.observe(
      self, handle, keyPaths, of: Element.self, make: { MutableSet($0) },
      step: { block($1.told(of: $0)) }, fail: { block(.error($0)) })
  }

  /// The changes as an asynchronous sequence, with new positions; it ends when the set's owner is deleted.
  public var changes: AsyncChanges<CollectionChange<MutableSet<Element>>> {
    CollectionHandle.changes(of: self, handle, Element.self)
  }
}

extension List where Element: PersistedObject {
  /// As by names; modifications count for the given properties only.
  ///
  /// - Parameters:
  ///   - keyPaths: Stored properties of the model, also through links. Another path gives `.error`.
  ///   - block: Whom to tell.
  /// - Returns: The token that keeps the observation alive.
  public func observe(
    keyPaths: [PartialKeyPath<Element>],
    _ block: @escaping (ObservedChange<List<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: ModelType.of(Element.self).names(of: keyPaths), block)
  }
}

extension MutableSet where Element: PersistedObject {
  /// As by names; modifications count for the given properties only.
  ///
  /// - Parameters:
  ///   - keyPaths: Stored properties of the model, also through links. Another path gives `.error`.
  ///   - block: Whom to tell.
  /// - Returns: The token that keeps the observation alive.
  public func observe(
    keyPaths: [PartialKeyPath<Element>],
    _ block: @escaping (ObservedChange<MutableSet<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: ModelType.of(Element.self).names(of: keyPaths), block)
  }
}

extension CollectionHistory.Step {
  /// What an observer of a collection is told.
  func told<C>(of collection: C) -> ObservedChange<C> {
    if isInitial { return .initial(collection) }
    return .update(
      collection, deletions: changes.deletions, insertions: changes.insertions,
      modifications: changes.modifications)
  }
}
