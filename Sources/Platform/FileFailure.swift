internal import SystemPackage

/// The error for a file or folder that cannot be used, in words for the user.
public struct FileFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What the tool tried to do with the file.
  public enum Action: String, Sendable { case read, write, use }

  /// What the tool tried to do.
  public let action: Action
  /// What happened, and to which file.
  public let message: String
  /// What to do, if the message does not say it.
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

/// Runs calls of swift-system and turns their `Errno` into a ``FileFailure``.
func withErrno<Result>(
  _ failure: (Errno) -> FileFailure, _ body: () throws -> Result
) throws(FileFailure) -> Result {
  do {
    return try body()
  } catch let error as Errno {
    throw failure(error)
  } catch let error as FileFailure {
    throw error
  } catch {
    throw FileFailure("\(error)")
  }
}

/// The result of a call of swift-system; `nil` if the file does not exist.
func ifPresent<Result>(_ call: () throws -> Result) throws -> Result? {
  do { return try call() } catch Errno.noSuchFileOrDirectory { return nil }
}

/// An error of a system call.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The system's number, `errno`.
  public let code: Int32

  public init(code: Int32) { self.code = code }

  /// The system's own message.
  public var description: String { Errno(rawValue: code).description }

  /// The other end of the pipe was closed.
  public static let brokenPipe = SystemError(code: EPIPE)
  public static let addressInUse = SystemError(code: EADDRINUSE)
  public static let permissionDenied = SystemError(code: EACCES)

  /// The error of the call that just failed.
  static var latest: SystemError { SystemError(code: errno) }
}
