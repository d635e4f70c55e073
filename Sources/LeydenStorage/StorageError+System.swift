import CLMDB
import CLeyden
import Foundation

extension StorageError {
  /// Translates an `errno` that a call about the file or directory at `path` left behind.
  static func system(_ code: Int32, at path: String, operation: String) -> StorageError {
    switch code {
    case ENOENT:
      .fileNotFound(path: path)
    case EACCES, EPERM, EROFS:
      .permissionDenied(path: path)
    case ENOTDIR:
      .notAStore(path: path, reason: "a part of the path is not a directory")
    case ENOSPC, EDQUOT, EFBIG:
      .diskFull
    default:
      .failed(LMDBError(code: code), operation: "\(operation) \(path)")
    }
  }
}
