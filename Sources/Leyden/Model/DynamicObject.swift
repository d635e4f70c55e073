/// A live object of a type that the program need not have a class for: its properties are known by their names.
///
///     for card in store.dynamicObjects("Card") {
///       print(card["title"] as? String ?? "", card.owner as? DynamicObject)
///     }
///
/// Values are those of Swift's own types, enumerations and types of the program's own what they are stored as; a link is a
/// `DynamicObject?`, an embedded object a ``DynamicEmbeddedObject``, and a collection a `List`, `MutableSet` or `Map`
/// of these. Within a write the properties are set in the same way.
///
/// Stores make dynamic objects: one that the program makes itself has no type and no properties. They have no detached
/// copies.
@dynamicMemberLookup
public final class DynamicObject: Object {
  // The one of all objects is in an extension, which a property by that name would be as good as.
  /// The type's name and each property with its value.
  public var description: String { makeDescription() }
}

/// An embedded object in a ``DynamicObject``.
@dynamicMemberLookup
public final class DynamicEmbeddedObject: EmbeddedObject {}
