public import Foundation

extension Results {
  /// The same elements, sorted by a property; equal ones keep the order that they had.
  ///
  ///     notes.sorted(by: \.lastEdited, ascending: false)
  ///     note.tags.sorted(by: \.self)
  ///
  /// Texts are ordered as Swift's `<` orders them, nil before every value and what is not a number
  /// behind every number; enumerations and custom types by what they are stored as.
  ///
  /// A path may lead through links and embedded objects, `\.owner?.age`; where one of them is nil, so is
  /// the value.
  ///
  /// - Parameters:
  ///   - path: A stored property of the model, or of an object that it leads to; `\.self` of values.
  ///   - ascending: Whether small values come first.
  /// - Returns: Lazy results in the new order.
  public func sorted<V>(by path: KeyPath<Element, V>, ascending: Bool = true) -> Results {
    followed(by: .sort(SortTerm(Route(to: path), ascending: ascending)))
  }

  /// The same values, sorted; nil before every value.
  public func sorted(ascending: Bool) -> Results where Element: Comparable {
    sorted(by: \.self, ascending: ascending)
  }

  /// The same elements, sorted by a property that is named; equal ones keep the order that they had.
  ///
  ///     try cards.sorted(byKeyPath: "owner.age")
  ///
  /// Dots lead through links and embedded objects; where one of them is nil, so is the value. Values are sorted
  /// by `"self"`. Texts are ordered as Swift's `<` orders them, nil before every value.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` for a name that the model does not have.
  public func sorted(byKeyPath path: String, ascending: Bool = true) throws -> Results {
    let route = try Route(named: path, of: Element.self)
    return followed(by: .sort(SortTerm(route, ascending: ascending)))
  }
}

extension Results where Element: Object {
  /// The same objects, sorted by the first descriptor, among equals by the second, and so on; those
  /// that are equal in all keep the order that they had.
  ///
  ///     try notes.sorted(by: [SortDescriptor(\.pinned), SortDescriptor(\.title, order: .reverse)])
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)``, with the number of the descriptor, for a key
  ///   path to anything but a stored property, and for a comparator that orders texts otherwise
  ///   than Swift's `<` does: by a language, without case, or by the numbers in them.
  public func sorted(by descriptors: [SortDescriptor<Element>]) throws -> Results {
    let model = ModelType.of(Element.self)
    var terms: [SortTerm] = []
    for (position, descriptor) in descriptors.enumerated() {
      guard let path = descriptor.keyPath.flatMap({ model.path(for: $0) }), path.leadsToOneValue
      else {
        throw StoreError.invalidQuery(
          "a sort descriptor is not over one stored property of \(model.name)", position: position)
      }
      var isReversed = descriptor.order == .reverse
      if var comparator = descriptor.stringComparator {
        if comparator.order == .reverse { isReversed.toggle() }
        comparator.order = .forward
        guard comparator == .lexical else {
          throw StoreError.invalidQuery(
            "the comparator for \(model.name).\(path.name) orders texts otherwise than Swift does",
            position: position)
        }
      }
      terms.append(SortTerm(Route(path), ascending: !isReversed))
    }
    return terms.reversed().reduce(self) { $0.followed(by: .sort($1)) }
  }
}

extension Route {
  /// What a key path leads to; one that does not lead to one stored value stops the program.
  init<Element: Persistable, Value>(to path: KeyPath<Element, Value>) {
    if path as AnyKeyPath == \Element.self, Element.isValue {
      self.init(column: Expression.itself)
    } else if let found = Element.model?.path(for: path), found.leadsToOneValue {
      self.init(found)
    } else {
      preconditionFailure(
        "\(path) is not one stored property of \(Element.self), or of an object that it leads to")
    }
  }

  /// What a name, or names with dots between them, lead to from an element.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` where that is not one stored value.
  init(named text: String, of element: any Persistable.Type) throws(StoreError) {
    if let model = element.model {
      try self.init(named: text, in: model)
    } else if text == "self" {
      self.init(column: Expression.itself)
    } else {
      throw .invalidQuery("\(element) has no property \(text)", position: 0)
    }
  }

  /// What names with dots between them lead to.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` where that is not one stored value.
  init(named text: String, in model: ModelType) throws(StoreError) {
    guard let path = model.path(named: text) else {
      throw .invalidQuery("\(model.name) has no property \(text)", position: 0)
    }
    guard path.leadsToOneValue else {
      throw .invalidQuery("\(model.name).\(text) is not one value", position: 0)
    }
    self.init(path)
  }
}

extension Persistable {
  /// The model of the objects that the type is, or may be.
  static var model: ModelType? {
    (targetType as? PersistedObject.Type).map { ModelType.of($0) }
  }

  /// Whether it is a value, and no object.
  fileprivate static var isValue: Bool { targetType == nil }
}
