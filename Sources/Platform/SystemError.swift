internal import SystemPackage

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
