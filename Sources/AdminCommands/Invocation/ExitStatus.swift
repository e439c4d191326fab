/// How a command ended, as scripts see it. The numbers are promises.
struct ExitStatus: RawRepresentable, Sendable, Hashable {
  var rawValue: Int32

  /// Done, with nothing pending.
  static let done = ExitStatus(rawValue: 0)
  static let failed = ExitStatus(rawValue: 1)
  /// Differences found, and `--exit-code` asked to be told.
  static let differences = ExitStatus(rawValue: 2)
  /// Findings at or above the chosen level.
  static let findings = ExitStatus(rawValue: 3)
  /// Authentication or permission.
  static let denied = ExitStatus(rawValue: 4)
  /// Some of it is applied; what is left is listed and a re-run finishes it.
  static let partial = ExitStatus(rawValue: 5)
  /// Another run holds the lock.
  static let locked = ExitStatus(rawValue: 6)
  static let usage = ExitStatus(rawValue: 64)
  /// Throttled or unavailable after the retry budget.
  static let tryLater = ExitStatus(rawValue: 75)
  static let interrupted = ExitStatus(rawValue: 130)
  static let terminated = ExitStatus(rawValue: 143)
}
