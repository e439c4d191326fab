import CloudKitModel
package import Diagnostics
package import RecordChanges

/// Collects what can be corrected without a decision: FeedMetadata without a feed, and feeds that a collection lists
/// more than once. Nothing that has readers is changed: metadata of a feed that subscriptions still name stays,
/// because that feed can be restored.
struct VerificationFixes {
  /// Whether the schema has the field that names a metadata's feed. Without it nothing says which are orphaned.
  private let knowsFeedOfMetadata: Bool
  private var feeds: Set<String> = []
  private var metadata: [(record: Record, feeds: [String])] = []
  private var collections: [RecordChange] = []

  init(_ references: [VerifiedReference]) {
    knowsFeedOfMetadata = references.contains { $0.correction == .fix }
  }

  var keys: [String: [String]] {
    [
      CatalogRecordType.publicFeed: [], CatalogRecordType.feedMetadata: ["feedReference"],
      CatalogRecordType.feedSubscription: ["feedRecordName"],
      CatalogRecordType.feedCollection: ["feeds", "title"],
    ]
  }

  mutating func visit(_ record: Record) {
    switch record.recordType {
    case CatalogRecordType.publicFeed: feeds.insert(record.recordName)
    case CatalogRecordType.feedMetadata where knowsFeedOfMetadata:
      metadata.append((record, (record["feedReference"]?.referredNames ?? []).filter { !$0.isEmpty }))
    case CatalogRecordType.feedCollection:
      if let change = withoutRepetitions(record) { collections.append(change) }
    default: break
    }
  }

  /// The changes, collections first.
  func changes(_ existence: RecordExistenceCheck) async throws -> [RecordChange] {
    let unknown = Set(metadata.flatMap(\.feeds).filter { !$0.hasPrefix("_") }).subtracting(feeds)
    let knowsReaders = !existence.unread.contains(CatalogRecordType.feedSubscription)
    let missing = Set(try await existence.missing(among: knowsReaders ? unknown : []))
      .subtracting(existence.subscribed)
    let deletions = metadata.filter { missing.isSuperset(of: $0.feeds) }
    return collections.sorted { $0.recordName < $1.recordName }
      + deletions.map(\.record).sorted { $0.recordName < $1.recordName }.map(RecordChange.init(deleting:))
  }

  /// Keeps the first of equal feeds, in the order of the list.
  private func withoutRepetitions(_ collection: Record) -> RecordChange? {
    guard case .list(let type, let feeds)? = collection["feeds"] else { return nil }
    var seen: Set<String> = []
    let distinct = feeds.filter { feed in feed.reference.map { seen.insert($0.recordName).inserted } ?? true }
    guard distinct.count < feeds.count else { return nil }
    return .toward(
      ["feeds": FieldValue.list(of: type, distinct)], of: collection, label: collection["title"]?.string)
  }
}

/// The report of `container verify --fix`: the corrections, and the findings that need a decision.
package struct VerificationFixReport: Report {
  private let remaining: FindingsReport
  private let changes: [RecordChange]
  /// `nil` in a dry run.
  private let written: ChangeReport?
  private let risks: ChangeRisks

  /// - Parameters:
  ///   - risks: of a dry run.
  ///   - written: `nil` for a dry run.
  package init(
    _ remaining: FindingsReport, changes: [RecordChange], risks: ChangeRisks = ChangeRisks(),
    written: ChangeReport? = nil
  ) {
    self.remaining = remaining
    self.changes = changes
    self.risks = risks
    self.written = written
  }

  package var failure: CommandFailure? { written?.failure ?? remaining.failure }
  package var status: ExitStatus { failure?.status ?? remaining.status }
  package var findings: [Diagnostic] { remaining.findings }
  package var isConfirmation: Bool { remaining.isConfirmation }
  package var urgent: ReportBody? { written == nil ? nil : remaining.urgent }
  package var metrics: [Metric] { remaining.metrics }
  package var tally: Tally? { remaining.tally }

  package var json: JSONValue {
    remaining.json.adding([
      "fixes": .array(changes.map { .object($0.planJSON()) }),
      "fixed": .integer(Int64(written.map { $0.applied + $0.alreadyApplied } ?? 0)),
      "remaining": written?.remainingJSON, "risks": risks.json.risks,
      "dryRun": .bool(written == nil),
    ])
  }

  package var checked: DiagnosticReport? { remaining.checked }

  package var body: ReportBody {
    if changes.isEmpty {
      "Nothing can be corrected automatically."
    } else if let written {
      "corrected \(written.applied + written.alreadyApplied) of \(counted(changes.count, "record"))\(written.unknownPart)"
    } else {
      ReportBody.changes(changes)
      "would correct \(counted(changes.count, "record"))"
      risks.options
    }
    remaining.body
  }
}
