public import CloudKitModel
public import RecordChanges

/// What seeding would do to one container, and what it would rather not decide.
public struct SeedPlan: Sendable, Hashable {
  public var target: ContainerIdentity
  /// In the order they must be written: categories with parents first, feeds, collections; then deletions, if
  /// they were asked for, the other way round.
  public var changes: [RecordChange]
  /// Records of the seeds that the container already holds as declared.
  public var unchanged: Int
  /// Seeds left out of ``changes`` because a person must decide first.
  public var conflicts: [SeedConflict]
  /// What an editor may want to know. None of it is written.
  public var notes: [SeedNote]
  /// What people call the records that changes refer to: record name to slug, or to the title of a record that
  /// no seed mentions.
  public var labels: [String: String]
  /// Records that the container holds, by type: what the shares of ``deletions`` are of.
  public var recordCounts: [String: Int] = [:]

  public init(
    target: ContainerIdentity, changes: [RecordChange] = [], unchanged: Int = 0,
    conflicts: [SeedConflict] = [], notes: [SeedNote] = [], labels: [String: String] = [:]
  ) {
    self.target = target
    self.changes = changes
    self.unchanged = unchanged
    self.conflicts = conflicts
    self.notes = notes
    self.labels = labels
  }

  /// The container is as the seeds say.
  public var isUpToDate: Bool { changes.isEmpty && conflicts.isEmpty }

  public func count(_ action: RecordChange.Action) -> Int { changes.count { $0.action == action } }
}

/// A seed that cannot be planned.
public struct SeedConflict: Sendable, Hashable {
  public var recordType: String
  public var slug: String
  /// Why, in one sentence without a full stop.
  public var reason: String
  /// What would settle it.
  public var help: String?

  public init(recordType: String, slug: String, reason: String, help: String? = nil) {
    self.recordType = recordType
    self.slug = slug
    self.reason = reason
    self.help = help
  }
}

public enum SeedNote: Sendable, Hashable {
  /// The container holds a record that no seed mentions. Seeding leaves it alone.
  case unmentioned(recordType: String, recordName: String, label: String)
  /// A new feed looks like one that no seed mentions any more: its URL was probably changed, and creating it
  /// anew would leave its subscribers behind.
  case probablyMoved(slug: String, recordName: String, label: String)
}
