/// The exit status of a command. The numbers never change (README.md, exit codes).
public struct ExitStatus: RawRepresentable, Sendable, Hashable {
  public var rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Done, with nothing pending.
  public static let done = ExitStatus(rawValue: 0)
  public static let failed = ExitStatus(rawValue: 1)
  /// `--exit-code` was passed and differences were found.
  public static let differences = ExitStatus(rawValue: 2)
  /// Findings at or above the level of `--fail-on`.
  public static let findings = ExitStatus(rawValue: 3)
  /// Authentication failed, or a permission is missing.
  public static let denied = ExitStatus(rawValue: 4)
  /// Some changes were applied; the report lists the others, and running the command again applies them.
  public static let partial = ExitStatus(rawValue: 5)
  /// Another run holds the lock.
  public static let locked = ExitStatus(rawValue: 6)
  public static let usage = ExitStatus(rawValue: 64)
  /// The service was throttled or unavailable after all retries.
  public static let tryLater = ExitStatus(rawValue: 75)
  public static let interrupted = ExitStatus(rawValue: 130)
  public static let terminated = ExitStatus(rawValue: 143)
}
