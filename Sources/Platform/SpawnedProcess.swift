internal import Dispatch
internal import Synchronization
internal import SystemPackage

/// A process that this one started. Of the open files it gets its standard streams only.
///
/// It has a process group of its own, which ``terminate()`` ends. Where this process's group has the terminal, it stays in
/// that group: a process of another one could not read the terminal, and Ctrl-C would not reach it. ``terminate()`` then ends
/// the group, too, if a shell made it for this process, which writes to the terminal and not to another command, and the
/// other has its streams.
package final class SpawnedProcess: Sendable {
  private let id: pid_t
  /// The process or group that ``terminate()`` signals, as `kill` takes it.
  private let signaled: pid_t
  private let isRunning = Mutex(true)

  /// - Parameters:
  ///   - program: its path; PATH is not searched.
  ///   - streams: the descriptors of its standard input, output and errors.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String], streams: [Int32] = [0, 1, 2]
  ) throws(FileFailure) {
    let leadsGroup = !Self.hasTerminal
    id = try withErrno("run", program) {
      try Self.closeFilesOnExec()
      #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
      #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
      #endif
      try Self.check(posix_spawn_file_actions_init(&actions))
      defer { posix_spawn_file_actions_destroy(&actions) }
      for (number, stream) in zip(Int32(0)..., streams) where stream != number {
        try Self.check(posix_spawn_file_actions_adddup2(&actions, stream, number))
      }
      try Self.check(posix_spawnattr_init(&attributes))
      defer { posix_spawnattr_destroy(&attributes) }
      // A child inherits blocked signals, of which the threads of Swift tasks have many, and ignored ones.
      var (blocked, restored) = (sigset_t(), sigset_t())
      sigemptyset(&blocked)
      sigemptyset(&restored)
      sigaddset(&restored, SIGPIPE)
      #if canImport(Darwin)
        // ``SignalWatch`` ignores them there.
        for signal in [SIGINT, SIGTERM] { sigaddset(&restored, signal) }
      #endif
      try Self.check(posix_spawnattr_setsigmask(&attributes, &blocked))
      try Self.check(posix_spawnattr_setsigdefault(&attributes, &restored))
      let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
      try Self.check(posix_spawnattr_setflags(&attributes, Int16(flags)))
      let words = ([program] + arguments).map { strdup($0) } + [nil]
      let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
      defer { for text in words + variables { free(text) } }
      var id: pid_t = 0
      try Self.check(posix_spawn(&id, program, &actions, &attributes, words, variables))
      return id
    }
    let isAlone = streams == [0, 1, 2] && getpgrp() == getpid() && isatty(1) == 1
    signaled = leadsGroup ? -id : isAlone ? 0 : id
  }

  /// The exit status, or 128 and the number of the signal that ended it. Processes that it started may go on.
  package func wait() async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [self] in
        var (status, information) = (Int32(0), siginfo_t())
        // Its number stays its own until it is collected, which must not happen while a signal is sent to it.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        isRunning.withLock { isRunning in
          while waitpid(id, &status, 0) < 0, errno == EINTR {}
          isRunning = false
        }
        let signal = status & 0x7f
        continuation.resume(returning: signal == 0 ? status >> 8 & 0xff : 128 + signal)
      }
    }
  }

  /// Reads to the end of the data, or to what was there when this process ended: others may keep their side open.
  package func contents(of descriptor: Int32) throws -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    var contents: [UInt8] = []
    while true {
      let hasEnded = isRunning.withLock { !$0 }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, hasEnded ? 0 : 100) != 0 else {
        if hasEnded { return contents }
        continue
      }
      let count = try FileDescriptor(rawValue: descriptor).read(into: buffer)
      guard count > 0 else { return contents }
      contents += buffer[..<count]
    }
  }

  /// Sends SIGTERM to its group, or to it alone if other commands are in that group.
  package func terminate() { isRunning.withLock { if $0 { kill(signaled, SIGTERM) } } }

  private static var hasTerminal: Bool {
    // Without one it cannot be opened.
    let path = FilePath("/dev/tty")
    guard let terminal = try? FileDescriptor.open(path, .readWrite, options: .closeOnExec) else {
      return false
    }
    defer { close(terminal.rawValue) }
    return tcgetpgrp(terminal.rawValue) == getpgrp()
  }

  private static func closeFilesOnExec() throws {
    let folder = try FileDescriptor.open(FilePath("/dev/fd"), .readOnly, options: [.directory, .closeOnExec])
    defer { close(folder.rawValue) }
    for number in try SystemCalls.names(in: folder).compactMap({ Int32($0) }) where number > 2 {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
  }

  private static func check(_ code: Int32) throws {
    if code != 0 { throw Errno(rawValue: code) }
  }
}
