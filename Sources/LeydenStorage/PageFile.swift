import CLeyden
import Foundation

/// The pages of a `data.mdb`, read with `pread`.
///
/// A page that is not there, or not what its parent says, gives a text and not a signal.
struct PageFile {
  let descriptor: Int32
  let pageSize: Int

  /// The bytes of a meta page that mean something.
  func meta(_ number: Int) -> DataFile.Meta {
    DataFile.Meta(bytes(at: number * pageSize, count: DataFile.Meta.size), number: number)
  }

  /// The number of whole pages that the file has.
  var count: UInt64 {
    var status = leyden_file_status()
    guard unsafe leyden_file_status_of(descriptor, &status) == 0 else { return 0 }
    return UInt64(max(status.size, 0)) / UInt64(pageSize)
  }

  /// Reads a branch or leaf page.
  func page(_ number: UInt64) -> Result<Page, Page.Problem> {
    guard let bytes = raw(number, pages: 1) else {
      return .failure(Page.Problem("page \(number) is not in the file"))
    }
    return Page.make(bytes, number: number)
  }

  /// The number of pages that a value of its own takes.
  func pagesForValue(of count: Int) -> UInt64 {
    UInt64((Page.Layout.header - 1 + count) / pageSize + 1)
  }

  /// Reads a value that has pages of its own, or its first bytes.
  ///
  /// - Parameters:
  ///   - number: The first page.
  ///   - count: The value's length.
  ///   - limit: How many of its bytes are read.
  /// - Returns: The bytes, or what is wrong with the pages.
  func longValue(
    _ number: UInt64, count: Int, limit: Int = .max
  ) -> Result<[UInt8], Page.Problem> {
    let pages = pagesForValue(of: count)
    let read = limit < count ? pagesForValue(of: limit) : pages
    guard number <= self.count, pages <= self.count,
      let bytes = raw(number, pages: Int(read))
    else {
      return .failure(Page.Problem("page \(number) with a value of \(pages) is not in the file"))
    }
    guard bytes.number(at: 0, UInt64.self) == number,
      bytes.number(at: Page.Layout.flags, UInt16.self) == Page.Layout.longValue
    else { return .failure(Page.Problem("page \(number) does not begin a value")) }
    let stored = bytes.number(at: Page.Layout.lower, UInt32.self)
    guard UInt64(stored) == pages else {
      return .failure(
        Page.Problem("a value of \(pages) pages at page \(number) is said to have \(stored)"))
    }
    let start = Page.Layout.header
    return .success(Array(bytes[start..<start + min(count, limit)]))
  }

  private func raw(_ number: UInt64, pages: Int) -> [UInt8]? {
    let limit = UInt64(Int.max) / UInt64(pageSize)
    guard number > 1, number < limit else { return nil }
    let wanted = pages * pageSize
    let bytes = bytes(at: Int(number) * pageSize, count: wanted)
    return bytes.count == wanted ? bytes : nil
  }

  private func bytes(at offset: Int, count wanted: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      while count < wanted {
        let read = unsafe pread(
          descriptor, start + count, wanted - count, off_t(offset + count))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { return }
        count += read
      }
    }
  }
}
