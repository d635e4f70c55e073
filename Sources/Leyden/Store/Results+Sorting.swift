public import Foundation

extension Results where Element: Object {
  /// The same objects, sorted by a property that is named; equal ones keep the order that they had.
  ///
  ///     try cards.sorted(byKeyPath: "owner.age")
  ///
  /// Dots lead through links and embedded objects; where one of them is nil, so is the value.
  /// Texts are ordered as Swift's `<` orders them, nil before every value.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` for a name that the model does not have.
  public func sorted(byKeyPath path: String, ascending: Bool = true) throws -> Results {
    sorted(by: [
      SortTerm(try Route(named: path, in: ModelType.of(Element.self)), ascending: ascending)
    ])
  }

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
    return sorted(by: terms)
  }

  private func sorted(by terms: [SortTerm]) -> Results {
    asking(terms.reversed().reduce(evaluation.query) { $0.sorted(by: $1) })
  }
}

extension Route {
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
