#if os(Linux)
  import CLeyden
  import Foundation

  /// Kinds of file systems, as far as they matter to a store.
  enum FileSystem {
    /// Numbers of file systems on which locks or shared memory do not reach every process.
    private static let remote: [UInt32: String] = [
      0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2",
      0x6573_5546: "FUSE", 0x0102_1997: "9p", 0x5346_414F: "AFS", 0x00C3_6400: "Ceph",
    ]
    private static let overlay: UInt32 = 0x794C_7630

    /// Throws `.unsupported` for a directory on a file system that cannot carry a store.
    static func check(_ directory: StoreDirectory) throws(StorageError) {
      if let name = remote[number(of: directory)] {
        throw .unsupported("\(directory.path) is on \(name), which cannot carry a store")
      }
    }

    /// Whether opening a file for writing may give another file than opening it for reading.
    ///
    /// On an overlay the first writer gets a copy; a reader that came before stays with the old.
    static func copiesOnWrite(_ directory: StoreDirectory) -> Bool {
      number(of: directory) == overlay
    }

    /// Makes what the system has written reach the medium; on Linux, LMDB has seen to that.
    static func flush(_ descriptor: Int32) {}

    /// Takes room on the disk for the first bytes of a file; false where there is too little.
    ///
    /// Where the file system cannot do that, nothing is taken.
    static func reserve(_ bytes: Int, of descriptor: Int32) -> Bool {
      guard leyden_allocate(descriptor, Int64(bytes)) != 0 else { return true }
      return errno != ENOSPC && errno != EDQUOT
    }

    private static func number(of directory: StoreDirectory) -> UInt32 {
      leyden_file_system_kind(directory.descriptor)
    }
  }
#endif
