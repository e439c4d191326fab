internal import CommandLine
internal import Diagnostics

extension CommandContext {
  /// Waits until indexes show what was written, and says so, because a silent wait looks like a hang.
  func waitForIndexes(_ duration: Duration) async throws {
    let seconds = Int(duration.components.seconds)
    if seconds > 0 {
      note("Looking again in \(counted(seconds, "second")), when the indexes show what was deleted.")
    }
    try await process.wait(duration)
  }
}
