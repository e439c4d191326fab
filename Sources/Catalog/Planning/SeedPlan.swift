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
  public var conflicts: [PlanConflict]
  /// What an editor may want to know. None of it is written.
  public var notes: [SeedNote]
  /// What people call the records that changes refer to: record name to slug, or to the title of a record that
  /// no seed mentions.
  public var labels: [String: String]
  /// Records that the container holds, by type: what the shares of ``deletions`` are of.
  public var recordCounts: [String: Int] = [:]
  /// Published numbers of subscribers by record name, those above 0.
  public var readers: [String: Int64] = [:]
  /// When ``readers`` were counted; `nil` when the container does not say.
  public var readersAsOf: Timestamp?
  /// The categories of feeds by record name: the slugs that editors know them by.
  public var categories: [String: String] = [:]
  /// Fields that somebody changed in the container since the seeds were last applied, by record name.
  public var changedInContainer: [String: Set<String>] = [:]
  /// In how many collections of the container a feed stands, by record name.
  public var memberships: [String: Int] = [:]

  public init(
    target: ContainerIdentity, changes: [RecordChange] = [], unchanged: Int = 0,
    conflicts: [PlanConflict] = [], notes: [SeedNote] = [], labels: [String: String] = [:]
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

  /// Changes of the catalog's own records. What health checks know about a deleted feed goes with it, uncounted.
  public func count(_ action: RecordChange.Action) -> Int {
    changes.count { $0.action == action && !$0.isCompanion }
  }
}

public enum SeedNote: Sendable, Hashable {
  /// The container holds a record that no seed mentions. Seeding leaves it alone.
  case unmentioned(recordType: String, recordName: String, label: String)
  /// A feed keeps its record, and with it its subscribers, although its URL changed.
  case moved(FeedMove)
  /// A new feed looks like one that no seed mentions any more: its URL was probably changed, and a new record would
  /// leave its subscribers behind.
  case probablyMoved(slug: String, recordName: String, label: String)
}

extension RecordChange {
  /// The record goes with the feed that it belongs to.
  public var isCompanion: Bool { recordType == CatalogRecordType.feedMetadata }
}
