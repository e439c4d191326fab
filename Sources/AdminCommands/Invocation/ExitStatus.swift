/// How a command ended, as scripts see it. The numbers are promises.
enum ExitStatus: Int32, Sendable {
  /// Done, with nothing pending.
  case done = 0
  case failed = 1
  /// Differences found, and `--exit-code` asked to be told.
  case differences = 2
  /// Findings at or above the chosen level.
  case findings = 3
  /// Authentication or permission.
  case denied = 4
  /// Some of it is applied; what is left is listed and a re-run finishes it.
  case partial = 5
  /// Another run holds the lock.
  case locked = 6
  case usage = 64
  /// Throttled or unavailable after the retry budget.
  case tryLater = 75
  case interrupted = 130
  case terminated = 143
}
