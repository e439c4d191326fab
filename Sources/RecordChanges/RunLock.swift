/// Keeps two runs that share a state directory from writing at once.
///
/// Held until the value goes away or the process ends, so that a killed run never leaves it behind.
public struct RunLock: ~Copyable {
  /// Another run holds the lock.
  public struct Taken: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the holder wrote about itself: its process id and command.
    public let holder: String
    public var description: String { "another run that keeps its journal here is writing (\(holder))" }
  }

  private let file: OwnFile

  /// Throws ``Taken``, or an error naming the path when the file cannot be made.
  public init(path: String, command: String) throws {
    let file = try OwnFile(appendingTo: path)
    guard try file.tryLock() else {
      let holder = String(decoding: try file.content(), as: UTF8.self)
      throw Taken(holder: holder.isEmpty ? "it just started" : holder)
    }
    try file.rewrite(Array("process \(currentProcessID), \(command)".utf8))
    self.file = file
  }
}
