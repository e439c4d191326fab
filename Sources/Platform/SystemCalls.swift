internal import SystemPackage

// The system's C library, whatever its name on this platform. A file that calls it imports Platform, so that no other
// module asks which platform it is on.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif

/// System calls that swift-system does not offer. All throw `Errno`.
enum SystemCalls {
  static var userID: UserID { UserID(rawValue: geteuid()) }

  static var processID: Int32 { getpid() }

  /// Creates a folder with access only for this user (mode 0700).
  static func makeFolder(_ path: FilePath) throws {
    try check(path.withPlatformString { mkdir($0, 0o700) })
  }

  static func makeFolder(_ name: String, in folder: FileDescriptor) throws {
    try check(mkdirat(folder.rawValue, name, 0o700))
  }

  /// Opens a file. A created file has the mode 0600.
  static func open(
    _ name: String, in folder: FileDescriptor, _ access: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions
  ) throws -> FileDescriptor {
    let descriptor = openat(folder.rawValue, name, access.rawValue | options.rawValue, 0o600)
    try check(descriptor)
    return FileDescriptor(rawValue: descriptor)
  }

  static func realPath(_ path: String) throws -> String {
    guard let resolved = realpath(path, nil) else { throw Errno(rawValue: errno) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Creates a folder with the access that the umask allows.
  static func makeSharedFolder(_ path: String) throws { try check(mkdir(path, 0o777)) }

  static func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws {
    try check(fchmod(file.rawValue, permissions.rawValue))
  }

  static func setOwner(_ user: UserID, _ group: GroupID, of file: FileDescriptor) throws {
    try check(fchown(file.rawValue, user.rawValue, group.rawValue))
  }

  static func move(_ name: String, to other: String, in folder: FileDescriptor) throws {
    try check(renameat(folder.rawValue, name, folder.rawValue, other))
  }

  static func remove(_ name: String, in folder: FileDescriptor) throws {
    try check(unlinkat(folder.rawValue, name, 0))
  }

  static func move(_ path: String, to other: String) throws { try check(rename(path, other)) }

  static func remove(_ path: String) throws { try check(unlink(path)) }

  /// Gives a file a second name. Throws `Errno.fileExists` if another file has it.
  static func addName(_ other: String, to path: String) throws { try check(link(path, other)) }

  /// Creates a new file beside another one, which it replaces by ``move(_:to:)`` when it is complete.
  static func createPartial(of path: String) throws -> (path: String, file: FileDescriptor) {
    let partial = "\(path).\(processID).partial"
    // A killed process with the same id may have left it.
    do { try remove(partial) } catch Errno.noSuchFileOrDirectory {}
    let file = try FileDescriptor.open(
      partial, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
      permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    return (partial, file)
  }

  /// Waits until all written data is on the disk.
  static func synchronize(_ descriptor: FileDescriptor) throws { try check(fsync(descriptor.rawValue)) }

  /// Locks a file for this process, once no other process has locked it.
  static func lock(_ descriptor: FileDescriptor) throws { try check(flock(descriptor.rawValue, LOCK_EX)) }

  /// Releases a lock, also one that a forked process shares. Without a lock it does nothing.
  static func unlock(_ descriptor: FileDescriptor) { _ = flock(descriptor.rawValue, LOCK_UN) }

  /// Locks a file for this process; false if another process has locked it.
  static func tryLock(_ descriptor: FileDescriptor) throws -> Bool {
    if flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 { return true }
    let error = Errno(rawValue: errno)
    if error == .wouldBlock { return false }
    throw error
  }

  /// The names in a folder without `.` and `..`, in no particular order.
  static func names(in folder: FileDescriptor) throws -> [String] {
    // Open the folder again: a stream closes its descriptor, and would continue where an earlier reader of the same
    // descriptor stopped.
    let own = try open(".", in: folder, .readOnly, [.directory, .closeOnExec])
    guard let stream = fdopendir(own.rawValue) else {
      let error = Errno(rawValue: errno)
      try own.close()
      throw error
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func check(_ result: Int32) throws {
    if result < 0 { throw Errno(rawValue: errno) }
  }
}

/// The number of files and connections that this process may have open at the same time.
package enum FileDescriptorLimit {
  /// Raises the limit to `wanted`, or as far as the system allows, and returns how many of the wanted descriptors the
  /// process may now have.
  package static func raise(to wanted: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return min(wanted, leastLimit) }
    let needed = rlim_t(max(0, wanted))
    if limit.rlim_cur < needed {
      var higher = limit
      higher.rlim_cur = min(needed, limit.rlim_max)
      if setrlimit(resource, &higher) == 0 { limit = higher }
    }
    return Int(min(limit.rlim_cur, needed))
  }

  #if canImport(Glibc)
    /// Glibc declares an enumeration for the names, and functions that take its numbers.
    static let resource = Int32(RLIMIT_NOFILE.rawValue)
  #else
    static let resource = RLIMIT_NOFILE
  #endif

  /// What every supported system allows at least.
  private static let leastLimit = 256
}
