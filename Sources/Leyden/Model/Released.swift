import CLeyden

/// What unmanaged objects and collections that end led to, let go of one after the other.
///
/// Swift lets go of what an object leads to within the object's own end, so that a long chain would exhaust
/// the stack. Here what ends meanwhile on the same thread only adds to what waits.
final class Released {
  private var values: [Any] = []

  private init() {}

  /// Takes values, and lets go of them here or leaves that to whoever does so on this thread already.
  static func take(_ values: inout [Any]) {
    guard !values.isEmpty else { return }
    let thread = unsafe leyden_thread_state()
    if let first = unsafe thread.pointee.released {
      unsafe Unmanaged<Released>.fromOpaque(first).takeUnretainedValue().values += values
      return values = []
    }
    let released = Released()
    swap(&released.values, &values)
    unsafe thread.pointee.released = Unmanaged.passUnretained(released).toOpaque()
    while released.values.popLast() != nil {}
    unsafe thread.pointee.released = nil
  }

  /// Takes the elements of a collection that ends, if they may be objects.
  static func take<Element: Persistable>(_ elements: inout [Element]) {
    guard Element.mayHoldObjects, !elements.isEmpty else { return }
    var values: [Any] = elements
    elements = []
    take(&values)
  }
}

extension PersistedObject {
  /// Lets go of what the links of an unmanaged object that ends lead to.
  func releaseLinks() {
    guard let model = ModelType.ifKnown(type(of: self)), !model.isDynamic else { return }
    var values: [Any] = []
    for column in model.references where !column.type.isCollection {
      guard let value = model.dynamicValue(of: column, in: self) else { continue }
      values.append(value)
      model.set(.null, for: column, in: self)
    }
    Released.take(&values)
  }
}
