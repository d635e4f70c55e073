extension Results: RandomAccessCollection {
  /// A part of the results that owns its elements.
  public typealias SubSequence = Slice<FixedElements<Element>>

  /// Zero.
  public var startIndex: Int { 0 }

  /// The number of elements of the last look at the store.
  public var endIndex: Int {
    switch source {
    case .rows(let evaluation): evaluation.lastCount
    case .elements(let evaluation): evaluation.last.values.count
    }
  }

  /// The value or live object at a position of the last look at the store.
  ///
  /// A position outside of it stops the program.
  public subscript(position: Int) -> Element {
    switch source {
    case .rows(let evaluation): return evaluation.element(evaluation.lastRow(at: position))
    case .elements(let evaluation):
      let elements = evaluation.last
      precondition(
        elements.values.indices.contains(position),
        "Position \(position) is outside of the results' \(elements.values.count) elements")
      return evaluation.handle.element(elements, at: position)
    }
  }

  /// The elements at positions of the last look at the store.
  public subscript(bounds: Range<Int>) -> SubSequence {
    Slice(base: fixed(at: .last), bounds: bounds)
  }

  /// The number of elements at the store's version.
  public var count: Int {
    switch source {
    case .rows(let evaluation): evaluation.count()
    case .elements(let evaluation): evaluation.current().values.count
    }
  }

  /// Whether there is no element at the store's version.
  public var isEmpty: Bool {
    switch source {
    case .rows(let evaluation): evaluation.firstRow() == nil
    case .elements: count == 0
    }
  }

  /// The first element at the store's version.
  public var first: Element? {
    switch source {
    case .rows(let evaluation): evaluation.firstRow().map { evaluation.element($0) }
    case .elements: fixed.first
    }
  }

  /// The last element at the store's version.
  public var last: Element? {
    switch source {
    case .rows(let evaluation): evaluation.finalRow().map { evaluation.element($0) }
    case .elements: fixed.last
    }
  }

  /// Fixes the elements at the store's version and goes through them.
  public func makeIterator() -> FixedElements<Element>.Iterator { fixed.makeIterator() }

  /// The elements at the store's version.
  var fixed: FixedElements<Element> { fixed(at: .current) }

  private enum Look { case current, last }

  private func fixed(at look: Look) -> FixedElements<Element> {
    switch source {
    case .rows(let evaluation):
      FixedElements(
        rows: look == .current ? evaluation.rows() : evaluation.lastRows(),
        RowObjects(evaluation))
    case .elements(let evaluation):
      FixedElements(
        look == .current ? evaluation.current() : evaluation.last, of: evaluation.handle)
    }
  }
}

extension Results: _LiveElements {
  // swift-format-ignore: NoLeadingUnderscores
  /// The elements at the store's version.
  public var _fixed: FixedElements<Element> { fixed }
}
