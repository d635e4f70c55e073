import LeydenStorage

/// The objects whose links lead to an object: the other side of a property of theirs.
///
///     final class Label: Object {
///       @Persisted(originProperty: "labels") var cards: LinkingObjects<Card>
///     }
///
/// Nothing is stored for it; it cannot be changed but through the links. Each object is in it once, in the order
/// of creation. It is empty while its owner is unmanaged.
public final class LinkingObjects<Element: Object>: Persistable, RandomAccessCollection,
  _LiveElements
{
  /// A part of the linking objects that owns its elements.
  public typealias SubSequence = Slice<FixedElements<Element>>

  package var handle: CollectionHandle?
  /// The rows, shared by all that ask; made when first asked for.
  private var known: Results<Element>?

  /// Makes linking objects of no object.
  public init() {}

  init(_ handle: CollectionHandle, _ known: Results<Element>? = nil) {
    self.handle = handle
    self.known = known
  }

  /// The objects as results, in the order of their creation; nil while the owner is unmanaged.
  public var results: Results<Element>? {
    if let known { return known }
    guard let handle, let row = handle.access as? LiveRow else { return nil }
    let session = row.session
    guard let property = row.binding.properties[Int(handle.column)], let origin = property.origin,
      let type = row.binding.stored?.id
    else { return nil }
    var query = RowQuery()
    query.source = .linking(ObjectReference(type: type, row: row.row), origin)
    known = Results(session, query)
    return known
  }

  /// Whether the owner is managed and gone.
  public var isInvalidated: Bool { handle.map { !$0.access.exists } ?? false }

  /// The number of objects.
  public var count: Int { results?.count ?? 0 }

  /// Whether no object leads to the owner.
  public var isEmpty: Bool { count == 0 }

  /// The first object; nil where there is none.
  public var first: Element? { results?.first }

  /// The last object; nil where there is none.
  public var last: Element? { results?.last }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects of the last look.
  public var endIndex: Int { results?.endIndex ?? 0 }

  /// The object at a position of the last look.
  public subscript(position: Int) -> Element {
    guard let results else { preconditionFailure("Linking objects of no object have none") }
    return results[position]
  }

  /// The objects at positions of the last look.
  public subscript(bounds: Range<Int>) -> SubSequence {
    results?[bounds] ?? Slice(base: _fixed, bounds: bounds)
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// The objects as they are now.
  public var _fixed: FixedElements<Element> { results?.fixed ?? FixedElements([]) }

  /// The position of an object; nil where it does not lead here.
  public func firstIndex(of element: Element) -> Int? { results?.index(of: element) }

  /// The position of an object; nil where it does not lead here.
  public func index(of element: Element) -> Int? { firstIndex(of: element) }

  /// Goes through the objects as they are now; they may be deleted meanwhile.
  public func makeIterator() -> FixedElements<Element>.Iterator { _fixed.makeIterator() }
}

@available(*, unavailable)
extension LinkingObjects: Sendable {}

extension LinkingObjects: PersistedCollection, _CollectionProperty {
  /// The class of the objects.
  public typealias _Element = Element
  /// Linking objects, for which nothing is stored.
  public static var propertyType: PropertyType? { .linkingObjects }
  /// Nil: nothing is stored.
  public static var elementType: (any Persistable.Type)? { nil }
  /// Those of a row.
  public static func held(by row: PersistedRow, column: Int32) -> LinkingObjects {
    LinkingObjects(CollectionHandle(row, column))
  }
  /// Does nothing: the links themselves are changed instead.
  public func save(to row: PersistedRow, column: Int32) {}

  package func beginning(_ count: Int) -> CollectionContents {
    .elements(results.map { Array($0.prefix(count)) } ?? [])
  }

  package func fill(from other: any PersistedCollection, _ copy: ElementCopier?) {}

  package func removeOwn() {}
}

extension Persisted {
  /// Declares the other side of a link: the objects whose `originProperty` leads to this one.
  ///
  /// - Parameter originProperty: The name of a property of `Linking`: a link to this class, or a list, a set
  ///   or a map of such.
  public init<Linking: Object>(originProperty: String) where Value == LinkingObjects<Linking> {
    self.init(originProperty: originProperty, value: LinkingObjects.emptyValue)
  }
}
