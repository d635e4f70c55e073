public import Foundation
import LeydenStorage

extension Store {
  /// Makes a copy of the newest version, as a store of its own; within a write, with what it has
  /// changed so far.
  ///
  /// The copy has no unused pages, and is the smallest file that holds the store. It is complete from
  /// the moment it has its name, and on disk when the call returns. Others read and write meanwhile.
  /// Identifiers of objects are valid in it; its history goes on from the same version, but versions
  /// of the two do not compare.
  ///
  /// - Parameter url: The directory to make, by convention `Name.leyden`; its parent exists.
  /// - Throws: ``StoreError/fileExists(_:)`` where anything is at `url`;
  ///   ``StoreError/fileNotFound(_:)`` where the parent is missing; ``StoreError/diskFull(_:)``,
  ///   ``StoreError/permissionDenied(_:)`` and what else the system reports; within a write also what
  ///   its end would throw. Nothing is left at `url` then.
  /// - Complexity: O(*n*) for a store of *n* bytes. Pages of the version that is copied are not used
  ///   again meanwhile, so that the file of a store that is written to grows.
  public func writeCopy(to url: URL) throws(StoreError) { try session.writeCopy(to: url) }

  /// Makes the file as small as it can be, where no other process has the store open.
  ///
  /// Stores of this process stay open and valid: they show the same version and hear of nothing.
  /// Who reads one version, as ``read(_:)`` does, keeps the old file until it is done; only then its
  /// room is free. Writes of this process wait. The store is whole whatever happens: a process that is
  /// killed, or a disk that is full, leaves the old file or the new one.
  ///
  /// - Parameter removingUnused: Whether types and indexes are removed that no open store of this
  ///   process names in its models. Without it, and for properties, what the models do not name stays.
  /// - Returns: False, and nothing was done, where another process has the store open.
  /// - Throws: ``StoreError/readOnly``; ``StoreError/nestedWrite`` within a write;
  ///   ``StoreError/diskFull(_:)`` where there is no room for the new file beside the old one;
  ///   ``StoreError/storeReplaced(_:)``, ``StoreError/closed`` and what the system reports.
  /// - Complexity: O(*n*) for a store of *n* bytes.
  @discardableResult
  public func compact(removingUnused: Bool = false) throws(StoreError) -> Bool {
    try session.compact(removingUnused: removingUnused)
  }
}
