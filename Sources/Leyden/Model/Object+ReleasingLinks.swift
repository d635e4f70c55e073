extension PersistedObject {
  /// Lets go of what the links of an unmanaged object lead to, and of what those lead to that nobody else holds,
  /// one after the other.
  ///
  /// Swift lets go of each within the one before, so that a long chain would exhaust the stack.
  func releaseLinks() {
    var waiting = takeLinks()
    while var next = waiting.popLast() {
      if isKnownUniquelyReferenced(&next) { waiting += next.takeLinks() }
    }
  }

  /// Takes the objects out of the links of an unmanaged object.
  private func takeLinks() -> [PersistedObject] {
    guard access == nil, let model = ModelType.ifKnown(type(of: self)), !model.isDynamic else {
      return []
    }
    var taken: [PersistedObject] = []
    for column in model.references where !column.type.isCollection {
      switch model.dynamicValue(of: column, in: self) {
      case let object as PersistedObject: taken.append(object)
      case let value as AnyValue:
        guard let object = value.object else { continue }
        taken.append(object)
      default: continue
      }
      model.set(.null, for: column, in: self)
    }
    return taken
  }
}
