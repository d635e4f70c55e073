import CLeyden
import Foundation

/// The page of memory that all processes with the store open share: the file `signal`.
///
///     offset  size
///          0     8  magic
///          8     4  version of this layout, 1
///         12     4  C library (upper half), size of its mutex (lower half)
///         16    16  run of the machine in which the row mark was set; zero for none
///         32     8  incarnation of the store when the row mark was set
///         40     8  newest version, only ever raised
///         48     4  word that counts rings; sleepers wait for it to change
///         52     4  number of sleepers, or more
///         56     4  reserved (writer active)
///         60     4  reserved (recovery epoch)
///         64     8  row mark: next row number
///         72     8  row mark: block
///         80     8  touched, to be noticed
///         88     8  row mark: version
///         96    32  reserved
///        128   768  16 slots of 48: process, reserved, start time, process namespace, heartbeat,
///                   flags; reserved
///        896  3200  reserved
///
/// Little-endian, as every machine that shares it is. It holds no data: one that is damaged is
/// replaced, and the store is whole without it.
@safe
final class SignalPage: @unchecked Sendable {
  // SAFETY: The mapping lives from `init` to `deinit`. What changes in it is read and written by
  // atomic calls only; the identity at 16, by holders of the store's write lock only.

  static let size = 4096
  private static let magic: UInt64 = 0x4E47_4953_4459_454C
  private static let version: UInt32 = 1

  private enum Offset {
    static let magic = 0
    static let version = 8
    static let library = 12
    static let boot = 16
    static let incarnation = 32
    static let newest = 40
    static let word = 48
    static let sleepers = 52
    static let rowNext = 64
    static let rowBlock = 72
    /// Where a platform without sleeping on memory writes to be noticed; means nothing.
    static let touched = 80
    static let rowVersion = 88
  }

  /// What is in a file called `signal`.
  private enum Content {
    case page(Int32)
    /// Made by a process with another C library.
    case ofOtherLibrary
    case absent
    case damaged
    /// May not be opened, or is of a later layout.
    case outOfReach
  }

  private let base: UnsafeMutableRawPointer
  /// The open file.
  let descriptor: Int32

  private init?(descriptor: Int32) {
    let protection = PROT_READ | PROT_WRITE
    let address = unsafe mmap(nil, Self.size, protection, MAP_SHARED, descriptor, 0)
    guard let address = unsafe address, unsafe address != MAP_FAILED else {
      close(descriptor)
      return nil
    }
    unsafe base = address
    self.descriptor = descriptor
  }

  deinit {
    unsafe munmap(base, Self.size)
    close(descriptor)
  }

  /// Maps the page of the store in `directory`; nil where that cannot be done for writing.
  ///
  /// To be called inside `whileLocked`, and before LMDB opens the store.
  ///
  /// With `mayCreate` a missing or damaged page is replaced; with `startOver` any, because the store
  /// is new.
  ///
  /// - Throws: `.unsupported` where a process with another C library has the store open.
  static func open(
    in directory: StoreDirectory, mayCreate: Bool, startOver: Bool
  ) throws(StorageError) -> SignalPage? {
    let content = startOver ? .absent : content(in: directory)
    switch content {
    case .page(let descriptor):
      return SignalPage(descriptor: descriptor)
    case .outOfReach:
      return nil
    case .ofOtherLibrary:
      guard try !directory.isOpenElsewhere() else {
        throw .unsupported("\(directory.path) is open in a process with another C library")
      }
    case .absent, .damaged: break
    }
    guard mayCreate, make(in: directory), case .page(let descriptor) = Self.content(in: directory)
    else { return nil }
    return SignalPage(descriptor: descriptor)
  }

  private static func content(in directory: StoreDirectory) -> Content {
    let flags = O_RDWR | O_NONBLOCK | O_NOFOLLOW
    let descriptor = directory.open(StoreDirectory.Name.signal, flags: flags)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return .absent
      case EISDIR, ELOOP, ENXIO: return .damaged
      default: return .outOfReach
      }
    }
    var status = leyden_file_status()
    var failed = false
    let header = unsafe [UInt8](unsafeUninitializedCapacity: Offset.boot) { buffer, count in
      let read = unsafe pread(descriptor, buffer.baseAddress, Offset.boot, 0)
      failed = read < 0
      count = max(0, read)
    }
    guard !failed, unsafe leyden_file_status_of(descriptor, &status) == 0 else {
      // Others may use it: it is not replaced because it could not be looked at.
      close(descriptor)
      return .outOfReach
    }
    guard status.is_file, status.size == size, header.count == Offset.boot,
      header.number(at: Offset.magic, UInt64.self) == magic
    else {
      close(descriptor)
      return .damaged
    }
    guard header.number(at: Offset.version, UInt32.self) == version else {
      close(descriptor)
      return .outOfReach
    }
    guard header.number(at: Offset.library, UInt32.self) == leyden_library_identity() else {
      close(descriptor)
      return .ofOtherLibrary
    }
    return .page(descriptor)
  }

  /// Puts a fresh page in place, complete from the first moment on.
  private static func make(in directory: StoreDirectory) -> Bool {
    var page = [UInt8](repeating: 0, count: size)
    unsafe page.withUnsafeMutableBytes { bytes in
      unsafe bytes.storeBytes(of: magic, toByteOffset: Offset.magic, as: UInt64.self)
      unsafe bytes.storeBytes(of: version, toByteOffset: Offset.version, as: UInt32.self)
      unsafe bytes.storeBytes(
        of: leyden_library_identity(), toByteOffset: Offset.library, as: UInt32.self)
    }
    let unfinished = StoreDirectory.Name.unfinishedSignal
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
    let descriptor = directory.open(unfinished, flags: flags)
    guard descriptor >= 0 else { return false }
    let isWritten = unsafe write(descriptor, page, size) == size
    close(descriptor)
    let place = directory.descriptor
    guard isWritten, unsafe renameat(place, unfinished, place, StoreDirectory.Name.signal) == 0
    else {
      unsafe unlinkat(place, unfinished, 0)
      return false
    }
    return true
  }
}

extension SignalPage {
  private var wordAddress: UnsafeMutablePointer<UInt32> { unsafe address(of: Offset.word) }
  private var sleepersAddress: UnsafeMutablePointer<UInt32> { unsafe address(of: Offset.sleepers) }
  private var bootAddress: UnsafeMutablePointer<UInt64> { unsafe address(of: Offset.boot) }

  private func address<Value>(of offset: Int) -> UnsafeMutablePointer<Value> {
    // Every offset is a multiple of the value's size, and the page's start is one of 4096.
    unsafe (base + offset).assumingMemoryBound(to: Value.self)
  }

  /// The number of rings so far, wrapping around.
  var word: UInt32 { unsafe leyden_load32(wordAddress) }

  /// Counts one ring.
  func advanceWord() { unsafe leyden_add32(wordAddress, 1) }

  /// Whether somebody may be asleep; stays true where a sleeper was killed.
  var hasSleepers: Bool { unsafe leyden_load32(sleepersAddress) != 0 }

  /// Runs `body` with the word's address.
  func withWord(_ body: (_ word: UnsafePointer<UInt32>) -> Void) { unsafe body(wordAddress) }

  /// Counts the caller as asleep while `body` runs with the word's address.
  func asSleeper(_ body: (_ word: UnsafePointer<UInt32>) -> Void) {
    unsafe leyden_add32(sleepersAddress, 1)
    unsafe body(wordAddress)
    unsafe leyden_add32(sleepersAddress, .max)
  }

  /// The highest version that was announced.
  var newestVersion: UInt64 { unsafe leyden_load64(address(of: Offset.newest)) }

  /// Sets `newestVersion` unless it is higher already.
  func raiseNewestVersion(to version: UInt64) {
    unsafe leyden_raise64(address(of: Offset.newest), version)
  }

  /// Lets the file system tell other processes that the page changed.
  func touch() {
    var nothing: UInt64 = 0
    _ = unsafe pwrite(descriptor, &nothing, 8, off_t(Offset.touched))
  }

  /// The row mark; nil if none was set since the machine started.
  var rowMark: RowMark? {
    guard let current = BootIdentity.current, identity == current else { return nil }
    return unsafe RowMark(
      next: leyden_load64(address(of: Offset.rowNext)),
      block: leyden_load64(address(of: Offset.rowBlock)),
      incarnation: leyden_load64(address(of: Offset.incarnation)),
      version: leyden_load64(address(of: Offset.rowVersion)))
  }

  /// Sets the row mark.
  ///
  /// A process that is killed half-way leaves none.
  func setRowMark(_ mark: RowMark) {
    guard let current = BootIdentity.current else { return }
    identity = .none
    unsafe leyden_store64(address(of: Offset.rowNext), mark.next)
    unsafe leyden_store64(address(of: Offset.rowBlock), mark.block)
    unsafe leyden_store64(address(of: Offset.incarnation), mark.incarnation)
    unsafe leyden_store64(address(of: Offset.rowVersion), mark.version)
    identity = current
  }

  private var identity: BootIdentity {
    get {
      unsafe BootIdentity(
        first: leyden_load64(bootAddress), second: leyden_load64(bootAddress + 1))
    }
    set {
      unsafe leyden_store64(bootAddress, newValue.first)
      unsafe leyden_store64(bootAddress + 1, newValue.second)
    }
  }
}
