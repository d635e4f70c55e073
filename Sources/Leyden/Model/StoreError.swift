public import Foundation

/// Why a call of the library failed.
///
/// Each case carries data; ``errorDescription`` tells what happened to what, and
/// ``recoverySuggestion`` what to do. A case exists where a caller can react to it; keep an
/// `@unknown default` in a `switch`, more may come.
@nonexhaustive
public enum StoreError: Error, Sendable, Hashable {
  /// Nothing is there, and the configuration or the missing parent does not let it be made.
  case fileNotFound(URL)
  /// What is there is no store; the text says what was found.
  case notAStore(URL, found: String)
  /// A newer version of the library wrote the store.
  case newerFormat(URL, found: Int)
  /// The model says otherwise than the file.
  case schemaMismatch([SchemaDifference])
  /// The store was written by a program with a higher `schemaVersion`.
  case schemaVersionTooOld(stored: UInt64, asked: UInt64)
  /// This process has the store open with other options.
  case alreadyOpenDifferently(URL)
  /// A store is open that has to be closed first: its files were to be deleted, or it was to be read as
  /// something that nobody writes to.
  case alreadyOpen(URL)
  /// Something is where a copy was to be made.
  case fileExists(URL)
  /// The file system refused.
  case permissionDenied(URL)
  /// The device is full, or a quota or file size limit was reached.
  case diskFull(URL)
  /// The address space of the map is used up; the next write has more.
  case mapFull
  /// Every slot of the reader table is taken by a living process.
  case tooManyReaders
  /// A write would have made more versions active than `maximumNumberOfActiveVersions` allows, because
  /// an old one is still being read.
  case tooManyVersions(active: Int, allowed: Int)
  /// Stored bytes contradict the format or their checksum.
  case corrupted(String)
  /// A writing call outside a write.
  case notInWriteTransaction
  /// A write inside a write, of this or another store, on one thread.
  case nestedWrite
  /// Another object of the type has the primary key.
  case duplicatePrimaryKey(type: String, key: String)
  /// Two objects have the same value of a unique property; the text names type, property, value.
  case uniqueViolation(String)
  /// A setter was called on an object that is deleted; the text names type and property.
  case invalidatedObject(String)
  /// An object may not be deleted as long as a property of it leads to others; the text names it.
  case deleteDenied(String)
  /// An object that belongs to another store.
  case wrongStore
  /// A write to a store that was opened for reading.
  case readOnly
  /// A query that names an unknown property, or compares what cannot be compared.
  case invalidQuery(String, position: Int)
  /// A value that the property or call cannot take; the text names it.
  case invalidValue(String)
  /// A value longer than the format can hold.
  case valueTooLarge(bytes: Int)
  /// The store's file was replaced by another one under the running program, or was written to by
  /// somebody while this program read it without locks.
  case storeReplaced(URL)
  /// The store was opened before `fork` and is used by the child.
  case usedAfterFork
  /// Not possible here; the text says what.
  case unsupported(String)
  /// The configuration lists no model.
  case noObjectTypes
  /// The store was closed.
  case closed
  /// Anything else that the storage engine or the system reported.
  case failed(operation: String, reason: String)
}

extension StoreError: LocalizedError {
  /// What happened to what.
  public var errorDescription: String? {
    switch self {
    case .fileNotFound(let url): "Nothing was found at \(url.path)."
    case .notAStore(let url, let found): "\(url.path) is not a store: \(found)."
    case .newerFormat(let url, let found):
      "The store at \(url.path) has format \(found), which is newer than this program knows."
    case .schemaMismatch(let differences):
      "The model and the store differ: "
        + differences.map(\.description).joined(separator: "; ") + "."
    case .alreadyOpenDifferently(let url):
      "The store at \(url.path) is open in this process with other options."
    case .schemaVersionTooOld(let stored, let asked):
      "The store has schema version \(stored), which is newer than the \(asked) of this program."
    case .alreadyOpen(let url): "The store at \(url.path) is open."
    case .fileExists(let url): "Something is at \(url.path) already."
    case .permissionDenied(let url): "Access to \(url.path) was denied."
    case .diskFull(let url): "The disk that holds \(url.path) is full; nothing was written."
    case .mapFull: "The write did not fit into the address space reserved for the store."
    case .tooManyReaders: "Every slot for readers of the store is taken."
    case .tooManyVersions(let active, let allowed):
      "The write would have made \(active) versions active, of which \(allowed) are allowed."
    case .corrupted(let what): "The store is damaged: \(what)."
    case .notInWriteTransaction: "A change was asked for outside a write."
    case .nestedWrite: "A write was begun inside a write."
    case .duplicatePrimaryKey(let type, let key):
      "A \(type) with the primary key \(key) exists already."
    case .uniqueViolation(let what): "Two objects have the same \(what)."
    case .deleteDenied(let what):
      "\(what) still leads to objects, and its delete rule forbids to delete its owner then."
    case .invalidatedObject(let what):
      "The object is deleted, or its write was rolled back: \(what)."
    case .wrongStore: "The object, or the observation, belongs to another store or to none."
    case .readOnly: "The store was opened for reading only."
    case .invalidQuery(let reason, let position):
      "The query is wrong at position \(position): \(reason)."
    case .invalidValue(let reason): "A value cannot be stored: \(reason)."
    case .valueTooLarge(let bytes): "A value of \(bytes) bytes is too large to be stored."
    case .storeReplaced(let url):
      "The store at \(url.path) was replaced by another file, or written to while it was read without "
        + "locks."
    case .usedAfterFork: "The store was opened before this process was forked."
    case .unsupported(let what): "Not supported: \(what)."
    case .noObjectTypes: "The configuration lists no model."
    case .closed: "The store was closed."
    case .failed(let operation, let reason): "\(operation) failed: \(reason)."
    }
  }

  /// What to do, or `nil` where nothing general can be said.
  public var recoverySuggestion: String? {
    switch self {
    case .fileNotFound:
      "Check the path; make the parent directory; open without `readOnly` to create a store."
    case .notAStore: "Give the path of a store, or of an empty or new directory."
    case .newerFormat: "Update the program that opens the store."
    case .schemaMismatch: "Raise `schemaVersion` and write a migration step for these properties."
    case .alreadyOpenDifferently: "Open it with the same options, or close the other store first."
    case .schemaVersionTooOld: "Update the program, or raise its `schemaVersion`."
    case .alreadyOpen: "Close it in every process, then try again."
    case .fileExists: "Give a path at which nothing is, or delete what is there."
    case .permissionDenied: "Change the permissions, or run as a user who may use the directory."
    case .diskFull: "Free space on the device and repeat the write."
    case .mapFull: "Repeat the write; if it is very large, split it into several."
    case .tooManyReaders: "End processes that read the store, then try again."
    case .tooManyVersions:
      "End what reads the oldest version; the store's `diagnostics` tell which process does."
    case .corrupted: "Stop writing, and restore the store from a copy."
    case .notInWriteTransaction: "Put the change into `store.write { … }`."
    case .nestedWrite: "Do the work in the outer write, or after it."
    case .duplicatePrimaryKey: "Add with `update: .modified` to change the existing object."
    case .uniqueViolation: "Give one of them another value; the write was rolled back."
    case .deleteDenied:
      "Delete those objects first, or let the property lead to none."
    case .invalidatedObject: "Check `isInvalidated` before it is changed, added or deleted."
    case .wrongStore: "Add the object's value instead, or use its own store."
    case .readOnly: "Open the store without `readOnly`."
    case .invalidQuery: "Compare the query with the model's properties."
    case .invalidValue: "Give a value that the property can have."
    case .valueTooLarge: "Keep large contents in files and their paths in the store."
    case .storeReplaced: "Close the store and open it again."
    case .usedAfterFork: "Open the store anew in the child, or start the child with `Process`."
    case .unsupported, .failed: nil
    case .noObjectTypes: "List the model classes in `objectTypes`."
    case .closed: "Open the store again."
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// What happened and what to do, in one line.
  public var description: String {
    [errorDescription, recoverySuggestion].compactMap { $0 }.joined(separator: " ")
  }
}

/// One difference between a model and the file that needs a migration.
public struct SchemaDifference: Sendable, Hashable, CustomStringConvertible {
  /// The type's name.
  public var typeName: String
  /// The property's name.
  public var propertyName: String
  /// What differs, in words.
  public var difference: String

  /// The property and what differs.
  public var description: String { "\(typeName).\(propertyName) \(difference)" }
}
