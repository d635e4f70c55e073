import CLeyden
import Foundation

/// What LMDB's lock file says, where its layout is known.
///
/// For a descriptor that stays open, or for a file that this process has not open otherwise: closing
/// one gives up LMDB's own locks.
struct LockFile {
  private enum Offset {
    static let magic = 0
    static let format = 4
    static let newest = 48
    static let writer = 64
  }
  private static let magic: UInt32 = 0xBEEF_C0DE
  /// LMDB 0.9 with mutexes of the C library.
  private static let format: UInt32 = 0x1_0001
  private static let size = 68
  /// The upper bits tell whether others wait, and whether the owner has died.
  private static let threads: UInt32 = 0x3FFF_FFFF

  private let bytes: [UInt8]

  /// Reads it; `nil` where it is none, or laid out otherwise.
  init?(_ descriptor: Int32) {
    // The mutexes of another C library are of another size.
    guard leyden_library_identity() == 1 << 16 | 40 else { return nil }
    bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
      count = max(0, unsafe pread(descriptor, buffer.baseAddress, Self.size, 0))
    }
    guard bytes.count == Self.size, bytes.number(at: Offset.magic, UInt32.self) == Self.magic,
      bytes.number(at: Offset.format, UInt32.self) == Self.format
    else { return nil }
  }

  /// The number of the newest transaction that readers are shown; 0 before the first one.
  var newestTransaction: UInt64 { bytes.number(at: Offset.newest, UInt64.self) }

  /// The thread that has the lock for writing; 0 where nobody has it.
  var writingThread: Int32 {
    Int32(bytes.number(at: Offset.writer, UInt32.self) & Self.threads)
  }
}
