/// What an observer of a map is told.
public enum MapChange<Key: Hashable, Value: Persistable> {
  /// The map as it is now: the first call.
  case initial(Map<Key, Value>)
  /// What changed since the last call, by one or more commits.
  ///
  /// The keys that are gone, those that are new, and those whose values are others or are objects that changed;
  /// each in the order of the keys.
  case update(Map<Key, Value>, deletions: [Key], insertions: [Key], modifications: [Key])
  /// The observation ended because of an error.
  case error(StoreError)
}
