/// What becomes of the objects that a property leads to when the object that has the property is
/// deleted.
///
///     @Persisted(deleteRule: .cascade) var details: BeerDetails?
public enum DeleteRule: UInt8, Sendable, Hashable {
  // The raw values are part of the file format.
  /// They stay.
  case nullify = 0
  /// They are deleted as well, and what they lead to by the rules of their own properties.
  case cascade = 1
  /// There must not be any: as long as there are, deleting the owner throws
  /// ``StoreError/deleteDenied(_:)``.
  case deny = 2
}
