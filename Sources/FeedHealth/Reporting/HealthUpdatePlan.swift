public import RecordChanges

/// The plan of a dry run: the changes that the health check would write.
public struct HealthUpdatePlan: Sendable {
  /// A tenth of the size of the changes, which are made on demand.
  private var updates: [FeedStateUpdate] = []

  mutating func add(_ update: FeedStateUpdate) { updates.append(update) }

  /// The changes in the order in which they would be written.
  public var changes: [RecordChange] { updates.flatMap(\.changes) }

  /// The counts of changes, as a sentence.
  public static func summary(of changes: [RecordChange]) -> String {
    let created = changes.count { $0.action == .create }
    return "Dry run: \(created) to create, \(changes.count - created) to update; nothing was written."
  }
}
