package import CloudKitModel
package import Diagnostics
package import RecordChanges

package struct SeedPlan: Sendable, Hashable {
  package var target: ContainerIdentity
  /// In the order they must be written: categories with parents first, feeds, collections; then deletions, if
  /// they were asked for, the other way round.
  package var changes: [RecordChange] = []
  package var unchanged = 0
  /// Seeds that are not in ``changes`` because an editor must decide first.
  package var conflicts: [PlanConflict] = []
  package var notes: [SeedPlanNote] = []
  /// What was found in the seeds beside the plan; empty for a saved plan.
  package var findings: [Diagnostic] = []
  /// Display names of records, by record name: the slug, or the title of a record without a seed.
  package var labels: [String: String] = [:]
  /// The number of records in the container by type, of which ``deletions`` gives percentages.
  package var recordCounts: [String: Int] = [:]
  /// The readers of the records that the plan deletes, moves, retires or replaces, by record name.
  package var readers: [String: ReaderCount] = [:]
  /// When their published counts were made; `nil` when the container does not say.
  package var readersAsOf: Timestamp?
  /// The categories of feeds by record name: the slugs that editors know them by.
  package var categories: [String: String] = [:]
  /// Where values of the container come from that the plan replaces and that are not the last apply's, by record name and
  /// field.
  package var origins: [String: [String: ValueOrigin]] = [:]
  /// The records that are as a saved plan has them already. Their changes are not sent, and count as unchanged.
  package var done: Set<String> = [] {
    didSet {
      // Their readers read the new address already.
      notes.removeAll { if case .moved(let move) = $0 { done.contains(move.recordName) } else { false } }
    }
  }
  /// The entries of the seeds that were applied last that these seeds do not have, and whose records stay, by kind and slug.
  package var takenOut: Set<String> = []
  /// The git commit of the seeds; `nil` if it is unknown, or not needed.
  package var revision: String?
  /// What the container remembered of the last apply when the plan was made; `nil` if it is unknown.
  package var basis: JSONObject?
  /// The seed files that the plan was made of, for a saved one; `nil` if it is unknown.
  package var seeds: JSONObject?
  /// The seed files whose planned content may be in no commit; 0 for a folder that is not in git.
  package var uncommittedFiles = 0
  /// The digest of the schema that must be applied first; `nil` for the schema that the container has.
  package var schemaDigest: String?
  /// The types of records that are deleted with others and that undo cannot restore, because users create such records.
  package var unrestorableTypes: Set<String> = []
  /// What names a record in the container, by its record name: the collections that list a feed; the feeds and categories
  /// in a category. As editors know them.
  package var memberships: [String: [String]] = [:]
  /// The feeds whose readers the plan puts at risk.
  var feeds = FeedNames.catalog

  package var pending: [RecordChange] { changes.filter { !done.contains($0.recordName) } }

  /// The records that stay without an entry, by kind and slug; not those without a slug.
  package var unmentioned: [String] {
    notes.compactMap { note in
      guard case .unmentioned(let type, _, _, let slug?) = note else { return nil }
      return SeedKind(recordType: type)?.key(slug)
    }
  }

  package var isUpToDate: Bool { changes.isEmpty && conflicts.isEmpty }

  /// The changes of a kind, with the deletions of records that go with others.
  package func count(_ action: RecordChange.Action) -> Int { changes.count { $0.action == action } }

  /// What the plan replaces although it was changed in the container since the last apply, or may have been:
  /// `feed six-colors title`.
  package var replacedEdits: [String] {
    changes.filter { $0.action == .update }.flatMap { change in
      change.fields.keys.filter {
        ![nil, .uncommitted, .otherRecord].contains(origins[change.recordName]?[$0])
      }.sorted().map { "\(change.recordType.singular) \(change.label ?? change.recordName) \($0)" }
    }
  }

  package func replaces(_ origin: ValueOrigin) -> Bool {
    origins.values.contains { $0.values.contains(origin) }
  }

  /// The feeds whose records were deleted since the last apply, by slug.
  package var deletedFeeds: Set<String> {
    Set(
      notes.compactMap {
        if case .deleted(CatalogRecordType.publicFeed, let slug, _) = $0 { slug } else { nil }
      })
  }

  /// The names that the records of feeds with a new one may have had.
  var formerNames: Set<String> {
    Set(notes.flatMap { if case .deleted(_, _, let names) = $0 { names } else { [String]() } })
  }

  package var hasUnmentioned: Bool {
    notes.contains { if case .unmentioned = $0 { true } else { false } }
  }

  /// The new category that gets all feeds which the plan takes out of a category.
  func successor(of category: String) -> String? {
    let targets = Set(
      changes.compactMap { change in
        change.fields["category"].flatMap { $0.from?.referredName == category ? $0.to?.referredName : nil }
      })
    guard targets.count == 1 else { return nil }
    return changes.first { targets.contains($0.recordName) && $0.action == .create }?.label
  }

  var moves: [MovedFeed] {
    notes.compactMap { if case .moved(let move) = $0 { move } else { nil } }
  }
}

/// Where a value of the container comes from that is not the last apply's.
package enum ValueOrigin: Sendable, Hashable {
  /// It was changed in the container since the seeds were last applied.
  case changed
  /// It is of a record that got the feed's slug since, in place of the one that the feed had.
  case otherRecord
  /// It was applied last from seeds that are in no commit.
  case uncommitted
  /// A pulled value was changed back in the container since: when the record was changed last, if the container says so.
  case reverted(Timestamp?)
  /// It is not known what both sides had last, so that it may be a later value than the files'.
  case unseen
  /// The seeds that were applied last did not have the entry.
  case unknown
}

package enum SeedPlanNote: Sendable, Hashable {
  /// The container has a record without a seed. Seeding does not change it.
  case unmentioned(recordType: String, recordName: String, label: String, slug: String? = nil)
  /// A feed keeps its record, and with it its subscribers, although its URL changed.
  case moved(MovedFeed)
  /// A feed has the record of a slug that no seed has any more.
  case renamed(slug: String, from: String, recordName: String)
  /// An entry gets a new record, because its record was deleted in the container since the last apply.
  ///
  /// - Parameter formerNames: names that it may have had, other than the new one's.
  case deleted(recordType: String, slug: String, formerNames: [String])
  /// The container's schema has no field for the slugs of feeds, so feeds are found by their addresses.
  case noSlugs
  /// A new feed looks like an existing one without a seed: its URL was probably changed, and a new record would
  /// lose its subscribers.
  case probablyMoved(slug: String, recordName: String, label: String)
}

extension RecordChange {
  /// The record is of a type without seeds, and goes with a record of a seed.
  var isCascade: Bool {
    !CatalogRecordType.seeded.contains(recordType) && recordType != CatalogRecordType.cloudFeed
  }
}
