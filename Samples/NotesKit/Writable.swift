public import Foundation

/// What can be written to a data source and deleted from it.
public protocol Writable {
  /// Writes this to `dataSource`.
  func write(dataSource: any DataSource) throws

  /// Deletes this from `dataSource`; what is not there any more is as good as deleted.
  func delete(dataSource: any DataSource) throws
}

extension Note: Writable {
  /// Writes this note, edited now.
  public func write(dataSource: any DataSource) throws {
    try write(dataSource: dataSource, at: Date())
  }

  /// Writes this note, edited at `date`.
  public func write(dataSource: any DataSource, at date: Date) throws {
    var note = self
    note.lastEdited = date
    try dataSource.store(object: note)
  }

  /// Deletes the note of this identifier.
  public func delete(dataSource: any DataSource) throws {
    try dataSource.delete(object: self)
  }
}
