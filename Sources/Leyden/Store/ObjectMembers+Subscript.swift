extension ObjectMembers {
  /// A stored property by its name, managed or not; nil is a property's own nil.
  ///
  ///     let title = note["title"] as? String
  ///     note["pinned"] = nil
  ///
  /// A property of an enumeration or of another type of the program's own is of that type here too,
  /// and may be set to its raw or stored form as well; numbers are taken for each other where no
  /// whole number is lost.
  ///
  /// Setting follows the rules of setting the property: outside a write it stops the program where
  /// the object is managed. Within a write, a name that the model does not have and a value that
  /// the property cannot take leave the object as it was and fail the write with
  /// ``StoreError/invalidValue(_:)``. Reading by a name that the model does not have, and setting
  /// an unmanaged object so that the write would fail, stop the program with a message.
  ///
  /// A link is read as the live object, a collection as the `List`, `MutableSet` or `Map` itself. A link is set to an
  /// object; an embedded object also to a dictionary by its properties' names; a collection to an array or another
  /// collection, a map to a dictionary, and nil empties them.
  ///
  /// `objectSchema` tells the names.
  public subscript(_ key: String) -> Any? {
    get {
      let model = modelType
      if let results = dynamicLinkingObjects(named: key) { return results }
      return model.dynamicValue(
        of: stopping { () throws(StoreError) in
          try model.requiredColumn(named: key)
        }, in: self)
    }
    set {
      let model = modelType
      func change() throws(StoreError) {
        try model.setDynamically(newValue, for: try model.requiredColumn(named: key), in: self)
      }
      guard let writer = (access as? ManagedRow)?.session.writer else { return stopping(change) }
      do { try change() } catch { writer.poison(error) }
    }
  }
}

/// Runs what fails only where the program is wrong and nobody can be told.
func stopping<Result>(_ body: () throws(StoreError) -> Result) -> Result {
  do { return try body() } catch { preconditionFailure(error.description) }
}
