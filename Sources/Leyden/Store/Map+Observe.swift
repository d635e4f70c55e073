extension Map {
  /// Calls `block` with the map as it is, and again after every change of it.
  ///
  ///     let token = card.marks.observe { change in
  ///       if case .update(let marks, let deletions, let insertions, let modifications) = change { … }
  ///     }
  ///
  /// Calls come as for a list, with keys instead of positions. Another value under a key is a modification, and so
  /// is the change of an object that is there, and its deletion, which leaves the key with nil.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the objects in the map whose changes count as modifications, by name, also
  ///     through links; `nil` means all of their own.
  ///   - block: Whom to tell. It is kept until the token is released or invalidated.
  /// - Returns: The token that keeps the observation alive.
  /// - Complexity: O(*n*) for each commit that changes the map, or an object in it, for *n* entries.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (MapChange<Key, Value>) -> Void
  ) -> NotificationToken {
    CollectionHandle.observe(
      self, handle, keyPaths, of: Value.self, make: { Map($0) },
      step: { block($0.told(of: $1)) }, fail: { block(.error($0)) })
  }

  /// As by names; modifications count for the given properties only.
  ///
  /// - Parameters:
  ///   - keyPaths: Stored properties of the model, also through links. Another path gives `.error`.
  ///   - block: Whom to tell.
  /// - Returns: The token that keeps the observation alive.
  public func observe<Target: PersistedObject>(
    keyPaths: [PartialKeyPath<Target>], _ block: @escaping (MapChange<Key, Value>) -> Void
  ) -> NotificationToken where Value == Target? {
    observe(keyPaths: ModelType.of(Target.self).names(of: keyPaths), block)
  }

  /// The changes as an asynchronous sequence; it ends when the map's owner is deleted, and after `.error`.
  ///
  ///     for await change in card.marks.changes { … }
  public var changes: AsyncChanges<MapChange<Key, Value>> {
    CollectionHandle.steps(of: handle, Value.self, fail: { .error($0) }) { self.told(of: $0) }
  }

  private func told(of step: CollectionHistory.Step) -> MapChange<Key, Value> {
    func keys(_ texts: [String]) -> [Key] { texts.compactMap { $0 as? Key } }
    if step.isInitial { return .initial(self) }
    return .update(
      self, deletions: keys(step.keys.deletions), insertions: keys(step.keys.insertions),
      modifications: keys(step.keys.modifications))
  }
}
