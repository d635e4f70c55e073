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
  /// `objectSchema` tells the names.
  public subscript(_ key: String) -> Any? {
    get {
      let model = ModelType.of(type(of: self))
      return model.dynamicValue(
        of: stopping { () throws(StoreError) in
          try model.requiredColumn(named: key)
        }, in: self)
    }
    set {
      let model = ModelType.of(type(of: self))
      func change() throws(StoreError) {
        let column = try model.requiredColumn(named: key)
        model.set(try model.storedValue(of: newValue, for: column), for: column, in: self)
      }
      guard let writer = (access as? LiveRow)?.session.writer else { return stopping(change) }
      do { try change() } catch { writer.poison(error) }
    }
  }
}

/// Runs what fails only where the program is wrong and nobody can be told.
private func stopping<Result>(_ body: () throws(StoreError) -> Result) -> Result {
  do { return try body() } catch { preconditionFailure(error.description) }
}
