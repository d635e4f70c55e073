public import Foundation

extension Results where Element: Object {
  /// The same objects, sorted by a property that is named; equal ones keep the order that they had.
  ///
  /// Texts are ordered as Swift's `<` orders them, nil before every value.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` for a name that the model does not have.
  public func sorted(byKeyPath path: String, ascending: Bool = true) throws -> Results {
    let model = ModelType.of(Element.self)
    guard let column = model.column(named: path) else {
      throw StoreError.invalidQuery("\(model.name) has no property \(path)", position: 0)
    }
    return sorted(by: [SortTerm(column: Int(column.number), ascending: ascending)])
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
      guard let column = descriptor.keyPath.flatMap({ model.column(for: $0) }) else {
        throw StoreError.invalidQuery(
          "a sort descriptor is not over one stored property of \(model.name)", position: position)
      }
      var isReversed = descriptor.order == .reverse
      if var comparator = descriptor.stringComparator {
        if comparator.order == .reverse { isReversed.toggle() }
        comparator.order = .forward
        guard comparator == .lexical else {
          throw StoreError.invalidQuery(
            "the comparator for \(model.name).\(column.name) orders texts otherwise than Swift does",
            position: position)
        }
      }
      terms.append(SortTerm(column: Int(column.number), ascending: !isReversed))
    }
    return sorted(by: terms)
  }

  private func sorted(by terms: [SortTerm]) -> Results {
    asking(terms.reversed().reduce(evaluation.query) { $0.sorted(by: $1) })
  }
}
