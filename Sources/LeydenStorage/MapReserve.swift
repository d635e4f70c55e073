import CLeyden
import Foundation

/// How much address space is reserved for the map of `data.mdb`.
///
/// The file is never extended to that size; what counts is that it does not have to grow.
enum MapReserve {
  /// Every size is a multiple of this, and so of every page size.
  static let unit = 16 << 20
  private static let largest = 256 << 30
  private static let smallest = 64 << 20
  private static let steps = [256, 64, 16, 4, 1].map { $0 << 30 }

  /// The part of the map that may be used before more is wanted, in percent.
  static let comfortable = 75

  /// Returns the sizes to try, largest first, for a file of `fileSize` bytes.
  static func ladder(fileSize: Int, wanted: Int?) -> [Int] {
    if let wanted { return [wanted] }
    let least = max(rounded(2 * fileSize), smallest)
    let most = addressSpaceLeft.map { $0 / 4 / unit * unit } ?? largest
    let sizes = steps.filter { $0 <= most && $0 > least }
    let first = most < largest && most > least ? [most] : []
    let last = max(rounded(fileSize + fileSize / 8), smallest)
    return Array(Set(first + sizes + [least, last])).sorted(by: >)
  }

  /// Returns the sizes to try when `size` has become too small, largest first.
  static func growth(from size: Int) -> [Int] {
    let step = size % unit == 0 ? unit : Int(sysconf(Int32(_SC_PAGESIZE)))
    return [2 * size, size + size / 2, size + size / 8].map { ($0 + step - 1) / step * step }
  }

  /// Whether the process could map `size` more bytes now.
  ///
  /// Asked before the old map is given up: LMDB cannot go back.
  static func isAvailable(_ size: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    let trial = unsafe mmap(nil, size, PROT_NONE, flags, -1, 0)
    guard unsafe trial != MAP_FAILED else { return false }
    unsafe munmap(trial, size)
    return true
  }

  private static func rounded(_ size: Int) -> Int { (size + unit - 1) / unit * unit }

  /// What a limit on the process's address space leaves; nil without a limit.
  private static var addressSpaceLeft: Int? {
    let left = leyden_address_space_left()
    return left == .max ? nil : Int(clamping: left)
  }
}
