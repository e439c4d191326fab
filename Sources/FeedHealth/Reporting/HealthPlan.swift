public import RecordChanges

/// What a dry run of the health check would have written.
public struct HealthPlan: Sendable {
  /// Ten times smaller than the changes, which are made when they are asked for.
  private var updates: [StateUpdate] = []

  mutating func add(_ update: StateUpdate) { updates.append(update) }

  /// In the order in which they would have been written.
  public var changes: [RecordChange] { updates.flatMap(\.changes) }

  /// The counts of changes, as a sentence.
  public static func summary(of changes: [RecordChange]) -> String {
    let created = changes.count { $0.action == .create }
    return "Dry run: \(created) to create, \(changes.count - created) to update; nothing was written."
  }
}
