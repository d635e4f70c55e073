extension ObjectMembers {
  /// An unmanaged copy of the object and of all that it leads to, embedded objects included.
  ///
  /// Each object is copied once, so that cycles and shared objects stay what they are. All is read at one version. The
  /// objects that link to it are not copied, unless it leads to them.
  ///
  /// - Parameter maximumDepth: Through how many links objects are followed; beyond that links are nil, and
  ///   lists, sets and maps of objects are without them. With 0 the object is alone.
  /// - Returns: The copy, which belongs to no store and may be added to any.
  public func detached(maximumDepth: Int = .max) -> Self {
    copy(of: self, maximumDepth)
  }
}

extension EmbeddedObject {
  /// An unmanaged copy of the object and of all that it leads to, as ``ObjectMembers/detached(maximumDepth:)``.
  public func detached(maximumDepth: Int = .max) -> Self {
    copy(of: self, maximumDepth)
  }
}

/// Copies an object at one version of its store.
private func copy<Model: PersistedObject>(of object: Model, _ maximumDepth: Int) -> Model {
  func copy() -> Model { ObjectCopier.copy(object, maximumDepth: maximumDepth) }
  guard let session = (object.access as? ManagedRow)?.session else { return copy() }
  return session.atOneVersion(copy)
}
