internal import CloudKitModel
internal import Diagnostics
internal import FoundationEssentials
internal import Platform
internal import Synchronization

/// The file of a container and the files that SQLite keeps beside it, checked before SQLite opens them.
///
/// SQLite trusts these files: it applies a log (`-wal`), and rolls back a journal (`-journal`), which can name another
/// file to delete. A folder from elsewhere, such as a clone or a shared one, could contain any of them.
struct ContainerFiles {
  let path: String
  let identity: FileIdentity
  let warning: String?

  private static let besides = ["-wal", "-shm", "-journal"]

  static func all(of path: String) -> [String] { [path] + besides.map { path + $0 } }

  /// - Parameters:
  ///   - given: the path of an existing file, or of a link to one.
  ///   - user: the effective user of this process.
  /// - Throws: `ContainerFailure` for a file that another user could have made or could change, and for a journal.
  init(_ given: String, user: UInt32 = ProcessUser.id) throws {
    let named = try FileStatus.of(given)
    try Self.requireTrusted(named, given, user)
    path = named?.kind == .link ? try FileKind.resolvedPath(given) : given
    guard let status = named?.kind == .link ? try FileStatus.of(path) : named else {
      throw ContainerFailure(.storage, "\(given) disappeared while it was opened", hint: "Try again.")
    }
    identity = status.identity
    var present = [(path, status)]
    for suffix in Self.besides {
      let beside = path + suffix
      if let status = try FileStatus.of(beside) { present.append((beside, status)) }
    }
    for (path, status) in present { try Self.check(path, status, user) }
    warning = present.first { $0.1.isWritableByGroup }.map {
      "the group of \($0.0) may write to it: run chmod g-w on it, unless that is intended"
    }
  }

  func requireUnchanged() throws {
    guard try FileStatus.of(path)?.identity != identity else { return }
    throw ContainerFailure(
      .storage, "\(path) was replaced while it was opened", hint: "Nothing was changed. Try again.")
  }

  /// Throws if SQLite would take files beside this path for those of the container that is to be created here.
  static func requireNothing(beside path: String) throws {
    for suffix in besides {
      guard let status = try FileStatus.of(path + suffix), status.kind != .file || status.size > 0 else {
        continue
      }
      throw ContainerFailure(
        .storage, "no container can be created at \(path), because \(path + suffix) belongs to another one",
        hint: "Move it back beside its container. If that no longer exists, remove it.")
    }
  }

  // MARK: - One file

  private static func check(_ path: String, _ status: FileStatus, _ user: UInt32) throws {
    guard status.kind == .file else {
      let what = status.kind == .link ? "a link" : "not a regular file"
      throw ContainerFailure(
        .storage, "\(path) is \(what), which SQLite never makes",
        hint: "Find out where it came from, and remove it. Nothing was opened.")
    }
    try requireTrusted(status, path, user)
    guard !status.isWritableByOthers else {
      throw ContainerFailure(
        .storage, "\(path) is not safe: every user may write to it",
        hint: "Check what the container holds, then run: chmod o-w '\(path)'")
    }
    guard !path.hasSuffix("-journal") || status.size == 0 else {
      throw ContainerFailure(
        .storage,
        "\(path) is not empty: a journal can make SQLite change the container and delete other files",
        hint:
          "celestra-admin leaves no journal. If you do not know which program did, remove both files and use a backup."
      )
    }
  }

  private static func requireTrusted(_ status: FileStatus?, _ path: String, _ user: UInt32) throws {
    guard let status, !(try isTrusted(status.owner, path, user)) else { return }
    throw ContainerFailure(
      .storage, "\(path) belongs to another user (\(status.owner))",
      hint: "Run the command as that user, or use a copy of your own.")
  }

  /// Root also works for the owner of the folder, as in a container of Docker with a folder of the host.
  private static func isTrusted(_ owner: UInt32, _ path: String, _ user: UInt32) throws -> Bool {
    let administrator: UInt32 = 0
    if owner == user || owner == administrator { return true }
    guard user == administrator else { return false }
    return try FileStatus.of(FileKind.resolvedPath(FileKind.folder(of: path)))?.owner == owner
  }
}

/// A database that is written under another name beside its own, which it gets when it is complete. A process that is
/// killed meanwhile leaves no half of a database under that name, and no journal beside it.
struct PartialDatabase {
  let path: String
  private let target: String

  /// Creates an empty file that only its owner can read. Throws `ContainerFailure` or `FileFailure` if none can be
  /// created beside `target`.
  init(beside target: String) throws {
    try DatabaseFile.checkRoom(for: target)
    self.target = target
    path = "\(target).\(UUID().uuidString.prefix(8).lowercased()).partial"
    try PrivateFile.create(path, [])
  }

  /// Removes the file after `body`, unless it got its name.
  static func use(beside target: String, _ body: (PartialDatabase) async throws -> Void) async throws {
    let partial = try PartialDatabase(beside: target)
    do {
      try await body(partial)
    } catch {
      try partial.remove()
      throw error
    }
    try partial.remove()
  }

  var identity: FileIdentity? { get throws { try FileStatus.of(path)?.identity } }

  /// Gives the database its name, once no connection uses it.
  ///
  /// - Returns: false if another file had the name first.
  func publish() throws -> Bool {
    guard try FileStatus.of(path + "-wal") == nil else {
      throw ContainerFailure(
        .storage, "\(target) could not be completed", hint: "Nothing was changed. Try again.")
    }
    return try PrivateFile.publish(path, as: target)
  }

  func remove() throws {
    for file in ContainerFiles.all(of: path) { try PrivateFile.removeIfPresent(file) }
  }
}

/// Waits while another process is writing to a container's file, and says so. SQLite asks before each further attempt.
final class BusyFile: Sendable {
  private struct State {
    var began: ContinuousClock.Instant
    let ended: @Sendable () -> Void
  }

  private let timeout: Duration
  private let waits: WaitReporter
  private let state = Mutex<State?>(nil)

  /// The pause between two attempts, as long as SQLite's own, in microseconds.
  private static let pause: UInt32 = 25_000

  init(timeout: Duration, waits: WaitReporter) {
    self.timeout = timeout
    self.waits = waits
  }

  /// Pauses. Returns false when the time is up. Blocks the thread, as SQLite requires.
  func triesAgain() -> Bool {
    let began = state.withLock { state in
      if let state { return state.began }
      let begun = State(
        began: .now, ended: waits.begin(Wait("another process is writing to the container", limit: timeout)))
      state = begun
      return begun.began
    }
    guard ContinuousClock.now - began < timeout else { return false }
    usleep(Self.pause)
    return true
  }

  /// The operation has ended, for whatever reason.
  func waitEnded() {
    state.withLock { state in
      defer { state = nil }
      return state?.ended
    }?()
  }
}
