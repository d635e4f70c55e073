import CLeyden
import Foundation

/// The pages of a `data.mdb`, read with `pread`.
///
/// A page that is not there, or not what its parent says, gives a text and not a signal. What the
/// system refuses to read gives a text as well, and is noted apart: it is no damage. For one thread.
struct PageFile {
  /// What the system refused first.
  final class Refusal {
    fileprivate(set) var code: LMDBError?
  }

  let descriptor: Int32
  let pageSize: Int
  let refusal = Refusal()

  /// The bytes of a meta page that mean something.
  func meta(_ number: Int) -> DataFile.Meta {
    let bytes = bytes(at: number * pageSize, count: DataFile.Meta.size)
    return DataFile.Meta((try? bytes.get()) ?? [], number: number)
  }

  /// The size of the file in bytes; 0 where it cannot be told.
  var size: Int64 {
    var status = leyden_file_status()
    guard unsafe leyden_file_status_of(descriptor, &status) == 0 else {
      note(errno)
      return 0
    }
    return max(status.size, 0)
  }

  /// The number of whole pages that the file has.
  var count: UInt64 { UInt64(size) / UInt64(pageSize) }

  /// Reads a branch or leaf page.
  func page(_ number: UInt64) -> Result<Page, Page.Problem> {
    raw(number, pages: 1).flatMap { Page.make($0, number: number) }
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
    guard number <= self.count, pages <= self.count else {
      return .failure(Page.Problem("page \(number) with a value of \(pages) is not in the file"))
    }
    let bytes: [UInt8]
    switch raw(number, pages: Int(read)) {
    case .success(let found): bytes = found
    case .failure(let problem): return .failure(problem)
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

  private func raw(_ number: UInt64, pages: Int) -> Result<[UInt8], Page.Problem> {
    let missing = Page.Problem("page \(number) is not in the file")
    let limit = UInt64(Int.max) / UInt64(pageSize)
    guard number > 1, number < limit else { return .failure(missing) }
    let wanted = pages * pageSize
    return bytes(at: Int(number) * pageSize, count: wanted)
      .mapError { Page.Problem("page \(number) cannot be read: \($0)") }
      .flatMap { $0.count == wanted ? .success($0) : .failure(missing) }
  }

  /// Fewer bytes than were asked for where the file ends before.
  private func bytes(at offset: Int, count wanted: Int) -> Result<[UInt8], LMDBError> {
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      while count < wanted {
        let read = unsafe pread(
          descriptor, start + count, wanted - count, off_t(offset + count))
        if read < 0, errno == EINTR { continue }
        if read < 0 { code = errno }
        guard read > 0 else { return }
        count += read
      }
    }
    guard code == 0 else { return .failure(note(code)) }
    return .success(bytes)
  }

  @discardableResult
  private func note(_ code: Int32) -> LMDBError {
    let error = LMDBError(code: code)
    if refusal.code == nil { refusal.code = error }
    return error
  }
}
