package import Diagnostics
package import People

/// The queue of reports of the console's container, and how a decision is written.
package struct ConsoleModeration: Sendable {
  let moderation: Moderation
  let decide: @Sendable (ModerationAction, _ reason: String?) async throws -> any Report

  /// - Parameter decide: carries out an action through the tool's one write path, with the lease of moderation.
  package init(
    _ moderation: Moderation,
    decide: @escaping @Sendable (ModerationAction, _ reason: String?) async throws -> any Report
  ) {
    self.moderation = moderation
    self.decide = decide
  }
}
