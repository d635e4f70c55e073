/// What becomes of the objects that a property leads to when the object that has the property is
/// deleted.
///
///     @Persisted(deleteRule: .cascade) var details: BeerDetails?
///
/// An embedded object is deleted with its owner, and also when its place gets another one or nil, or when it is
/// removed from a list or a map. What the same change lets another embedded object there lead to is not touched
/// then: it has moved over. One that moves within its list is not deleted, and neither is one that an update finds
/// in its place and changes.
///
/// The rules are kept in the store, and hold for all programs that write to it. Where programs declare different
/// ones for a property, those of the program that opened the store last hold; each opening then writes them anew.
public enum DeleteRule: UInt8, Sendable, Hashable {
  // The raw values are part of the file format.
  /// They stay.
  case nullify = 0
  /// They are deleted as well, and what they lead to by the rules of their own properties.
  case cascade = 1
  /// There must not be any: as long as there are, deleting the owner throws
  /// ``StoreError/deleteDenied(_:)``, and setting another value in an embedded object's place changes nothing
  /// and fails the write with it.
  case deny = 2
}
