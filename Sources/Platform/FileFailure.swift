internal import SystemPackage

/// Why a file or a folder cannot be used, in words for the person who runs the tool.
public struct FileFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Action: String, Sendable { case read, write, use }

  /// What could not be done with it.
  public let action: Action
  /// What happened, and to which file.
  public let message: String
  /// What to do, where the message does not say it.
  public let hint: String?

  public var description: String { message }

  public init(_ message: String, action: Action = .use, hint: String? = nil) {
    self.message = message
    self.action = action
    self.hint = hint
  }

  /// `cannot ACTION PATH: REASON`, with the system's reason.
  init(_ action: String, _ path: String, _ error: Errno) {
    self.init("cannot \(action) \(path): \(error)", action: Action(rawValue: action) ?? .use)
  }
}

/// Runs calls of swift-system, which throw nothing but `Errno`.
func withErrno<Result>(
  _ failure: (Errno) -> FileFailure, _ body: () throws -> Result
) throws(FileFailure) -> Result {
  do {
    return try body()
  } catch let error as Errno {
    throw failure(error)
  } catch {
    throw FileFailure("\(error)")
  }
}
