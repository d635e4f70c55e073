/// What `add` does where an object with the same primary key exists.
public enum UpdatePolicy: Sendable, Hashable {
  /// It throws ``StoreError/duplicatePrimaryKey(type:key:)``.
  case error
  /// The existing object gets the values that differ.
  case modified
  /// The existing object gets all values; what is equal already is no change.
  case all
}
