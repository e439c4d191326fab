/// How a command ended, as scripts see it. The numbers never change (README.md, exit codes).
public struct ExitStatus: RawRepresentable, Sendable, Hashable {
  public var rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Done, with nothing pending.
  public static let done = ExitStatus(rawValue: 0)
  public static let failed = ExitStatus(rawValue: 1)
  /// Differences found, and `--exit-code` was given.
  public static let differences = ExitStatus(rawValue: 2)
  /// Findings at or above the chosen level.
  public static let findings = ExitStatus(rawValue: 3)
  /// Authentication or permission.
  public static let denied = ExitStatus(rawValue: 4)
  /// Some of it is applied; what is left is listed and a re-run finishes it.
  public static let partial = ExitStatus(rawValue: 5)
  /// Another run holds the lock.
  public static let locked = ExitStatus(rawValue: 6)
  public static let usage = ExitStatus(rawValue: 64)
  /// Throttled or unavailable after the retry budget.
  public static let tryLater = ExitStatus(rawValue: 75)
  public static let interrupted = ExitStatus(rawValue: 130)
  public static let terminated = ExitStatus(rawValue: 143)
}
