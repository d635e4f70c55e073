import LeydenStorage

extension Store {
  /// All objects of a type, in order of their creation: a lazy collection that follows the store.
  ///
  /// A type that is not among the configuration's models stops the program with a message.
  public func objects<T: Object>(_ type: T.Type) -> Results<T> {
    _ = session.requiredBinding(of: type)
    return Results(session)
  }

  /// The object with a primary key, or `nil` where there is none.
  ///
  /// - Complexity: O(log *n*).
  public func object<T: Object, K>(ofType type: T.Type, forPrimaryKey key: K) -> T? {
    let binding = session.requiredBinding(of: type)
    guard let column = binding.model.primaryKeyColumn else {
      preconditionFailure("\(type) has no primary key; ask with `where` instead")
    }
    guard let value = Self.storedValue(of: key), binding.model.columns[column].type.admits(value)
    else { return nil }
    do throws(StoreError) {
      return try session.object(type, primaryKey: value)
    } catch {
      if error != .closed { session.fail(error) }
      return nil
    }
  }

  /// The usual types first: to find out what else a type conforms to takes longer than to look the
  /// key up.
  private static func storedValue<K>(of key: K) -> StoredValue? {
    // SAFETY: the types are the same.
    if K.self == String.self { return .string(unsafe unsafeBitCast(key, to: String.self)) }
    if K.self == Int.self { return .int(Int64(unsafe unsafeBitCast(key, to: Int.self))) }
    return (key as? any Persistable)?.storedValue
  }

  /// The object that an identifier names, or `nil` where there is none: the identifier is temporary,
  /// of another store or another type, or its object is deleted.
  ///
  /// - Complexity: O(log *n*).
  public func object<T: Object>(for identifier: PersistentIdentifier, as type: T.Type) -> T? {
    let binding = session.requiredBinding(of: type)
    guard identifier.typeName == binding.model.name,
      let row = identifier.row(in: session.core.uuid)
    else { return nil }
    let object = session.object(type, row: row)
    return object.isInvalidated ? nil : object
  }

  /// The plain values of all objects of a type, in order of creation, read at one version.
  public func values<T: ValueConvertible>(of type: T.Type) -> [T.Value] { objects(type).values }

  /// The plain value of an object, read at one version.
  public func value<T: ValueConvertible>(of object: T) -> T.Value {
    session.atOneVersion { object.value }
  }
}

extension Session {
  /// Runs `body` with one version kept; without one where the store cannot be read, so that what
  /// `body` reads is empty.
  func atOneVersion<Result>(_ body: () -> Result) -> Result {
    do throws(StoreError) { try pin() } catch {
      if error != .closed { fail(error) }
      return body()
    }
    defer { unpin() }
    return body()
  }
}
