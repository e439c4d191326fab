package import CloudKitModel
internal import Diagnostics
internal import Platform
package import RecordChanges

/// A risk of a seed plan that must be accepted by its name before the plan is applied.
package enum SeedPlanRisk: String, Sendable, Hashable, CaseIterable {
  case dataLoss = "data-loss"
  /// The plan deletes more than half of the records of a type. Must be accepted in addition to ``dataLoss``, so
  /// that accepting the loss of one feed does not accept the loss of all feeds after a mistyped folder.
  case massDeletion = "mass-deletion"
  /// A record with subscribers is deleted or replaced by a new record.
  case subscriberLoss = "subscriber-loss"
  /// A record with subscribers gets an address that may be another publisher's.
  case readersMove = "readers-move"
}

/// The number of records of one type that a plan deletes, and of all records of the type.
package struct DeletionShare: Sendable, Hashable, CustomStringConvertible {
  package let recordType: String
  package let deleted: Int
  /// Records of the type in the container, the deleted ones included.
  package let present: Int

  /// `103 of 104 feeds (99 %)`. The percentage is rounded, but only all is 100 %.
  package var description: String {
    let percent = deleted < present ? min(99, (deleted * 200 + present) / (present * 2)) : 100
    let share = deleted * 100 < present ? "under 1 %" : "\(percent) %"
    return "\(deleted) of \(present) \(present == 1 ? recordType.singular : recordType.plural) (\(share))"
  }
}

extension SeedPlan {
  package var deletions: [DeletionShare] {
    CatalogRecordType.seeded.compactMap { recordType in
      let deleted = changes.count { $0.action == .delete && $0.recordType == recordType }
      guard deleted > 0 else { return nil }
      return DeletionShare(
        recordType: recordType, deleted: deleted, present: max(deleted, recordCounts[recordType] ?? 0))
    }
  }

  var cascades: [(recordType: String, count: Int)] {
    changes.filter(\.isCascade).reduce(into: [String: Int]()) { $0[$1.recordType, default: 0] += 1 }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// `deletes 104 of 104 feeds (100 %), 1 of 5 collections (20 %), leaves 976 readers behind and moves 5 readers to
  /// another address`; `nil` for a plan that does none of it.
  package var deletionSummary: String? {
    let deleted = deletions.map(\.description) + cascades.map { counted($0.count, "\($0.recordType) record") }
    var parts = deleted.isEmpty ? [] : ["deletes \(deleted.joined(separator: ", "))"]
    if let readers = ReaderCount.words(stranded) { parts.append("leaves \(readers) behind") }
    if !movesToOtherPublishers.isEmpty, let readers = ReaderCount.words(moves.map(\.readers)) {
      parts.append("moves \(readers) to another address")
    }
    guard let last = parts.popLast() else { return nil }
    return parts.isEmpty ? last : "\(parts.joined(separator: ", ")) and \(last)"
  }

  package var riskNames: Set<String> { Set(risks.map(\.rawValue)) }

  package var risks: Set<SeedPlanRisk> {
    guard !pending.isEmpty || changes.isEmpty else { return [] }
    var risks: Set<SeedPlanRisk> = []
    if stranded.contains(where: \.mayHaveReaders) { risks.insert(.subscriberLoss) }
    if !movesToOtherPublishers.isEmpty { risks.insert(.readersMove) }
    if deletions.isEmpty { return risks }
    risks.formUnion(loss.risks(in: target.environment).compactMap(SeedPlanRisk.init(rawValue:)))
    if deletions.contains(where: { $0.deleted * 2 > $0.present }) { risks.insert(.massDeletion) }
    return risks
  }

  package var loss: DeletionLoss {
    guard !deletions.isEmpty else { return .none }
    return unrestorableTypes.isEmpty ? .restorable(chosenBy: .command) : .permanent
  }

  var movesToOtherPublishers: [MovedFeed] {
    moves.filter { $0.changesPublisher && $0.readers.mayHaveReaders }
  }

  /// The number of subscribers of records that the plan deletes or replaces, as far as it is known.
  package var strandedReaders: Int64 { stranded.reduce(0) { $0.addingClamped($1.number) } }

  private var stranded: [ReaderCount] {
    deletedNames.union(replacedNames).union(formerNames).sorted().compactMap { readers[$0] }
  }

  var deletedNames: Set<String> {
    let deletions = changes.filter { $0.action == .delete }
    return Set(deletions.filter { !$0.isCascade || feeds.types.contains($0.recordType) }.map(\.recordName))
  }

  /// Records for which a new one of the same title is made.
  private var replacedNames: Set<String> {
    let created = changes.filter { $0.action == .create && $0.fields["title"]?.to != nil }.keyed(by: \.label)
    return Set(
      notes.compactMap { note -> String? in
        guard case .probablyMoved(let slug, let name, let label) = note,
          created[slug]?.fields["title"]?.to?.string?.lowercased() == label.lowercased()
        else { return nil }
        return name
      })
  }

  /// The records whose readers decide about risks, or whom the plan's text mentions.
  var recordsAtStake: Set<String> {
    let retired = changes.filter(\.retires).map(\.recordName)
    return deletedNames.union(replacedNames).union(formerNames).union(moves.map(\.recordName)).union(retired)
      .subtracting(changes.filter { $0.recordType == CatalogRecordType.feedCategory }.map(\.recordName))
  }
}

extension RecordChange {
  var retires: Bool { action == .update && setsRetired }
  var createsRetired: Bool { action == .create && setsRetired }

  private var setsRetired: Bool {
    switch recordType {
    case CatalogRecordType.publicFeed: fields[CatalogReferences.retirement]?.to == .flag(true)
    case CatalogRecordType.cloudFeed: fields[CloudFeedField.name(of: .activity)]?.to == .flag(false)
    default: false
    }
  }
}

extension ReaderCount {
  /// `8 readers` of one feed; `up to 18 readers of 3 feeds` of several, because one person may read more than one of them.
  /// `nil` when there are none.
  fileprivate static func words(_ counts: [ReaderCount]) -> String? {
    let readers = counts.filter(\.mayHaveReaders)
    guard readers.count > 1 else { return readers.first?.words }
    let number = readers.reduce(Int64(0)) { $0.addingClamped($1.number) }
    let isLimit = !readers.contains { $0.isAtLeast || $0.obstacle != nil }
    let count =
      number == 0 ? "an unknown number of" : "\(isLimit ? "up to " : "")\(number)\(isLimit ? "" : " or more")"
    return "\(count) readers of \(readers.count) feeds"
  }
}

/// The error for pruning with a seed directory without `feeds/`, which would delete all feeds.
package struct MissingFeedsFolderError: Error, Sendable, Hashable, CustomStringConvertible {
  package let feeds: Int

  package var description: String {
    "the seed directory has no feeds/, and --prune would delete \(feeds == 1 ? "the feed" : "all \(feeds) feeds") "
      + "of the container"
  }
}

extension UndoRules {
  /// The undo rules of the Celestra catalog. A feed that a run created is not deleted if subscriptions or
  /// collections refer to it or an editor changed it. Changes by jobs do not keep it, and its FeedMetadata is
  /// deleted with it.
  ///
  /// Its risks are those of a seed plan: a feed with readers that goes away, and readers who come to read another
  /// publisher (Documentation/reference/catalog.md#readers-at-stake).
  package static let catalog = rules(for: .catalog)

  package static func rules(for feeds: FeedNames) -> UndoRules {
    let own = feeds.types.subtracting(CatalogRecordType.feeds).map {
      ReferenceField(CatalogRecordType.feedSubscription, "feedRecordName", .name, to: [$0])
    }
    var rules = UndoRules()
    rules.references = CatalogReferences.all + own
    rules.unique = CatalogUniqueFields.all
    rules.risks = { try await ChangeRisks.catalog($0, in: $1, feeds) }
    rules.isComputed = { field, recordType in
      if recordType == CatalogRecordType.cloudFeed { return CloudFeedField.isComputed(field) }
      return switch FieldOwnership.owner(of: field, in: recordType) {
      case .computed?, .seedAtChange?: true
      default: false
      }
    }
    rules.follows = { FieldOwnership.owner(of: $0, in: $1) == .seedAtChange }
    return rules
  }
}

extension ChangeRisks {
  /// What changes do to the readers of feeds and collections, by the rules of a seed plan
  /// (Documentation/reference/catalog.md#readers-at-stake). Throws the container's errors.
  package static func catalog(
    _ changes: [RecordChange], in container: any Container, _ feeds: FeedNames
  ) async throws -> ChangeRisks {
    let types = feeds.types.union([CatalogRecordType.feedCollection])
    var plan = SeedPlan(
      target: container.identity, changes: changes.filter { types.contains($0.recordType) }, feeds: feeds)
    plan.findMoves()
    try await plan.readRedirects(in: container)
    plan.notes.removeAll { if case .moved(let move) = $0 { !move.changesPublisher } else { false } }
    try await plan.readReaders(of: plan.deletedNames.union(plan.moves.map(\.recordName)), in: container)
    let risks = plan.risks.intersection([.subscriberLoss, .readersMove])
    return ChangeRisks(names: Set(risks.map(\.rawValue)), readers: plan.readers)
  }
}
