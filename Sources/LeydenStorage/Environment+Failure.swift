import CLMDB
import CLeyden
import Foundation

extension Environment {
  /// What is left on a device that counts as full.
  private static let nothingLeft: UInt64 = 1 << 20

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
    var status = statvfs()
    if unsafe fstatvfs(dataDescriptor, &status) == 0,
      UInt64(status.f_bavail) * UInt64(status.f_frsize) < Self.nothingLeft
    {
      return true
    }
    let limit = leyden_file_size_limit()
    return limit < .max && UInt64(max(fileSize, usedBytes)) + Self.nothingLeft > limit
  }
}
