internal import SystemPackage

/// The error for a file or folder that cannot be used, in words for the user.
package struct FileFailure: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Action: String, Sendable {
    case read, write, use
    /// Another process holds the file's or folder's lock.
    case wait
    /// The command line asks for something that would lose the file.
    case refuse
  }

  package let action: Action
  package let message: String
  package let hint: String?

  package var description: String { message }

  package init(_ message: String, action: Action = .use, hint: String? = nil) {
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

/// Runs calls of swift-system; their `Errno` becomes `cannot ACTION PATH: REASON`.
func withErrno<Result>(
  _ action: String, _ path: String, _ body: () throws -> Result
) throws(FileFailure) -> Result {
  try withErrno({ FileFailure(action, path, $0) }, body)
}

/// The result of a call of swift-system; `nil` if the file does not exist.
func ifPresent<Result>(_ call: () throws -> Result) throws -> Result? {
  do { return try call() } catch Errno.noSuchFileOrDirectory { return nil }
}

package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var description: String { Errno(rawValue: code).description }

  package static let brokenPipe = SystemError(code: EPIPE)
  package static let addressInUse = SystemError(code: EADDRINUSE)
  package static let permissionDenied = SystemError(code: EACCES)

  static var latest: SystemError { SystemError(code: errno) }
}
