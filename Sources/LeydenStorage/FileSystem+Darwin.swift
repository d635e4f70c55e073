#if canImport(Darwin)
  import Foundation

  /// Kinds of file systems, as far as they matter to a store.
  enum FileSystem {
    /// Throws `.unsupported` for a directory on a file system that cannot carry a store.
    static func check(_ directory: StoreDirectory) throws(StorageError) {
      var status = statfs()
      guard unsafe fstatfs(directory.descriptor, &status) == 0 else { return }
      if status.f_flags & UInt32(MNT_LOCAL) == 0 {
        throw .unsupported("\(directory.path) is on a network file system")
      }
    }

    /// Whether opening a file for writing may give another file than opening it for reading.
    static func copiesOnWrite(_ directory: StoreDirectory) -> Bool { false }

    /// Makes what the system has written reach the medium, which older releases of LMDB leave out.
    static func flush(_ descriptor: Int32) { _ = fcntl(descriptor, F_FULLFSYNC) }

    /// Takes room on the disk for the first bytes of a file; not possible here for a part of it.
    static func reserve(_ bytes: Int, of descriptor: Int32) -> Bool { true }
  }
#endif
