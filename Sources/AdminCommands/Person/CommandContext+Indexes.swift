internal import CommandLine
internal import Diagnostics

extension CommandContext {
  /// Waits until indexes show what was written.
  func waitForIndexes(_ duration: Duration) async throws {
    let wait = Wait(
      "waiting for the indexes", detail: "waiting until the indexes show what was deleted", pause: duration,
      next: "looking again")
    try await waits.during(wait) { try await process.wait(duration) }
  }
}
