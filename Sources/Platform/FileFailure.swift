internal import SystemPackage

/// Why a file or a folder cannot be used, in words for the person who runs the tool.
public struct FileFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What happened, and to which file.
  public let message: String
  /// What to do, where the message does not say it.
  public let hint: String?

  public var description: String { message }

  public init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  /// `cannot ACTION PATH: REASON`, with the system's reason.
  init(_ action: String, _ path: String, _ error: Errno) {
    self.init("cannot \(action) \(path): \(error)")
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
