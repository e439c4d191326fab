public import Diagnostics
public import Platform

/// Keeps two runs that share a state folder from writing at once.
///
/// Held until the value goes away or the process ends, so that a killed run never leaves it behind.
public struct RunLock: ~Copyable {
  /// Another run holds the lock.
  public struct Taken: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the holder wrote about itself: its process id and command.
    public let holder: String
    public var description: String { "another run is already writing to this state folder (\(holder))" }
  }

  private static let mark = "process "
  /// Bytes of a lock file that are read: a process id and a command fit many times.
  private static let limit = 1024
  private let file: StateFile

  /// Throws ``Taken``, or `FileFailure` when the file cannot be made or holds something else.
  public init(in folder: StateFolder, name: String = "lock", command: String) throws {
    let file = try folder.file(name, .readAndAppend)
    let isFree = try file.tryLock()
    let content = try file.content(upTo: Self.limit)
    guard isFree else {
      let holder = String(decoding: content, as: UTF8.self)
      throw Taken(holder: holder.isEmpty ? "it just started" : holder)
    }
    guard content.isEmpty || content.starts(with: Self.mark.utf8) else {
      throw FileFailure(
        "\(file.path) is not a lock of celestra-admin, and its content would be lost",
        hint: "Move it, or set CELESTRA_ADMIN_STATE_DIRECTORY to another folder.")
    }
    try file.rewrite(Array("\(Self.mark)\(currentProcessID), \(command)".utf8))
    self.file = file
  }
}

extension RunLock.Taken: ExplainedError {
  public var failure: CommandFailure {
    CommandFailure(
      description, code: "locked", hint: "Wait until it ends, then run this again.", status: .locked)
  }
}
