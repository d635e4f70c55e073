import LeydenStorage

/// What entries of the catalog say of other types and properties (C1).
extension Verifier {
  /// Looks at what properties lead to and hold.
  func checkReferences(_ records: [CatalogRecord]) {
    let places = Dictionary(records.map { ($0.id, $0.place) }) { first, _ in first }
    // What could not be read may be what is missing.
    guard knowsCatalog else { return }
    for type in types {
      for property in type.properties {
        var place = places[property.id] ?? .init(table: CatalogEntry.table)
        place.typeName = type.name
        place.propertyName = property.name
        if let problem = problem(of: property, in: type) { note(.catalog, problem, place) }
      }
    }
  }

  /// Why a property cannot be as the catalog says, in words; `nil` where it can.
  private func problem(
    of property: Catalog.StoredProperty, in type: Catalog.StoredType
  ) -> String? {
    if property.type.isCollection != (property.element != nil) {
      return "the property is a collection without the type of its elements, or the other way round"
    }
    if let element = property.element, !isElement(element, of: property.type) {
      return "a \(property.type) does not hold a \(element)"
    }
    let held = property.element ?? property.type
    let needsTarget = held == .link || held == .embedded || held == .linkingObjects
    guard needsTarget == (property.target != nil) else {
      return "the property leads to no type, or to one though it holds values"
    }
    if let target = property.target, typesByNumber[target]?.isEmbedded != (held == .embedded) {
      return "the property leads to type \(target), which is not there or of another kind"
    }
    if property.deleteRule != .nullify, held != .link {
      return "the property has a delete rule and no links"
    }
    guard (property.type == .linkingObjects) == (property.origin != nil) else {
      return "linking objects have no property whose links they are, or another property has one"
    }
    guard let origin = property.origin else { return nil }
    // The links may be in objects that are embedded in the ones that are linking.
    let property = typesByNumber.values.lazy.compactMap { $0.property(origin) }.first
    guard let property, property.mayLink, property.target == nil || property.target == type.id
    else {
      return "property \(origin), whose links these are, is not there or does not lead here"
    }
    return nil
  }

  private func isElement(_ element: PropertyType, of collection: PropertyType) -> Bool {
    switch element {
    case .list, .set, .map, .linkingObjects: false
    case .embedded: collection != .set
    default: true
    }
  }
}
