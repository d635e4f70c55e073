import CLMDB
import CLeyden
import Foundation

extension Environment {
  /// Translates a code of LMDB or of the system into the error to throw.
  ///
  /// The operation is a verb with its preposition; the path follows it.
  func failure(_ code: Int32, operation: String) -> StorageError {
    switch LMDBError(code: code) {
    case .mapFull: return .mapFull
    case .readersFull: return .tooManyReaders
    case .transactionFull: return .transactionTooLarge
    case .pageNotFound, .corrupted, .cursorFull, .pageFull, .invalid:
      return .corrupted("\(path): \(LMDBError(code: code))")
    default: break
    }
    if code == ENOSPC || code == EDQUOT || code == EFBIG || (code == EIO && isDiskFull) {
      return .diskFull
    }
    return .failed(LMDBError(code: code), operation: "\(operation) \(path)")
  }

  /// Whether there is no room for more; LMDB takes a short write for a failing device.
  private var isDiskFull: Bool {
    if FileSystem.isFull(file.descriptor) { return true }
    let limit = leyden_file_size_limit()
    return limit < .max && UInt64(max(fileSize, usedBytes)) + FileSystem.nothingLeft > limit
  }
}

extension FileSystem {
  /// What is left on a device that counts as full.
  fileprivate static let nothingLeft: UInt64 = 1 << 20

  /// Whether there is no room for more where an open file or directory is.
  static func isFull(_ descriptor: Int32) -> Bool {
    var status = statvfs()
    return unsafe fstatvfs(descriptor, &status) == 0
      && UInt64(status.f_bavail) * UInt64(status.f_frsize) < nothingLeft
  }
}
