/// Why a call of the storage layer failed.
///
/// Closed and typed: the object layer translates it into its one public error in one file.
@usableFromInline
package enum StorageError: Error, Hashable, Sendable {
  /// The directory, or its `data.mdb`, does not exist and was not to be made.
  case fileNotFound(path: String)
  /// What is there is no store: a file, a directory without a valid `data.mdb`, foreign bytes.
  case notAStore(path: String, reason: String)
  /// Written by a newer format than this code knows.
  case newerFormat(path: String, found: UInt32)
  /// Open in this process already, with other options.
  case alreadyOpenDifferently(path: String)
  /// Another process has it open, which would not learn of this reader.
  case alreadyOpen(path: String)
  /// Something is where something new was to be made.
  case fileExists(path: String)
  /// The file system refused.
  case permissionDenied(path: String)
  /// A write on an environment that was opened for reading.
  case readOnly
  /// No space left on the device, or a quota or file size limit reached.
  case diskFull
  /// The address space reserved for the map is used up; the next write has more.
  case mapFull
  /// Every slot of the reader table is taken by a living process.
  case tooManyReaders
  /// A write that would make more versions active than there may be.
  case tooManyVersions(active: Int, allowed: Int)
  /// More dirty pages than one transaction can hold.
  case transactionTooLarge
  /// A key or value longer than the format allows.
  case valueTooLarge(bytes: Int)
  /// Stored bytes that contradict the format or their checksum.
  case corrupted(String)
  /// `data.mdb` at the path is another file than the one that was opened, or was written to while it
  /// was read without locks.
  case storeReplaced(path: String)
  /// The environment was opened by a parent process, before `fork`.
  case usedAfterFork
  /// This thread is inside a write already, of this environment or another one.
  case nestedWrite
  /// The environment was closed.
  case closed
  /// The file system or platform cannot carry a store.
  case unsupported(String)
  /// Anything else that LMDB or the system reported.
  case failed(LMDBError, operation: String)
}
