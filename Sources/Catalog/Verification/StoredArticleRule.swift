import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage

/// Finds articles that an app would show twice, too long or at the wrong place
/// (Documentation/reference/articles.md#retention).
struct StoredArticleRule: VerificationRule {
  private let recordType: String
  private let now: Timestamp
  /// Digests of feed and guid: eight bytes an article.
  private var identities: Set<UInt64> = []
  /// The digests that more than one article has.
  private var repeated: Set<UInt64> = []
  private var duplicates = RecordNameSample()
  private var expired = RecordNameSample()
  private var unlimited = RecordNameSample()
  private var future = RecordNameSample()
  /// The field that dates one of them: the newest if any has it.
  private var futureField = "publishedDate"

  /// The names that schemas have for the date and the link, the newest first. A record has one of them.
  private static let published = ["publishedDate", "publishedTimestamp", "pubDate"]
  private static let links = ["url", "link"]

  /// A purge every day leaves no article this long after its time.
  private static let overdue = Duration.seconds(7 * 86_400)
  /// No setting keeps articles longer without a reason.
  private static let maxLifetime = Duration.seconds(366 * 86_400)
  private static let maxLead = Duration.seconds(86_400)

  init(recordType: String, now: Timestamp) {
    self.recordType = recordType
    self.now = now
  }

  var keys: [String: [String]] {
    [recordType: [feedField, "guid", "expiresAt", "expiresTimestamp"] + Self.published]
  }

  mutating func visit(_ record: Record) {
    guard record.recordType == recordType else { return }
    if let identity = identity(of: record), !identities.insert(identity.digest).inserted {
      repeated.insert(identity.digest)
      duplicates.add(record.recordName)
    }
    let expires = (record["expiresAt"] ?? record["expiresTimestamp"])?.timestamp
    if let expires, now.since(expires) > Self.overdue { expired.add(record.recordName) }
    if expires.map({ $0.since(now) > Self.maxLifetime }) ?? true { unlimited.add(record.recordName) }
    if let (field, value) = first(Self.published, of: record), let published = value.timestamp,
      published.since(now) > Self.maxLead
    {
      if future.count == 0 || field == Self.published[0] { futureField = field }
      future.add(record.recordName)
    }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    [
      finding(
        .duplicateArticle, duplicates, "repeat the guid of another article of their feed",
        help:
          "delete those with an equal link or enclosure, and an equal title or date: \(VerificationHelp.deletingFix); "
          + "decide about the others"),
      finding(
        .expiredArticle, expired, "expired more than 7 days ago", help: VerificationHelp.purge),
      finding(
        .unlimitedArticle, unlimited, "have no expiry, or one more than a year ahead",
        help: "'\(VerificationHelp.purge)' deletes them a lifetime after their creation"),
      finding(
        .futureArticle, future, "were published more than a day ahead of now",
        help: VerificationHelp.delete(recordType, filter: "\(futureField) > +1d")),
    ].compactMap(\.self)
  }

  private var isOurs: Bool { recordType == CatalogRecordType.publicArticle }
  private var feedField: String { isOurs ? "feedReference" : "feedRecordName" }

  /// An empty text counts as none.
  private func first(_ names: [String], of record: Record) -> (field: String, value: FieldValue)? {
    for name in names { if let value = record[name], value.string != "" { return (name, value) } }
    return nil
  }

  /// The deletions of articles that repeat another one of their feed, by ``repeats(_:_:)``. The article stays that has the
  /// name which this tool gives it, else the one that was created first, to which apps may refer. Reads the articles again if
  /// any are repeated, so that a verification keeps no names. Throws the container's errors.
  func deletions(in container: any Container, _ schema: Schema) async throws -> [RecordChange] {
    guard !repeated.isEmpty else { return [] }
    var groups: [ExactText: [Record]] = [:]
    let keys = ([feedField, "guid", "title", "enclosureURL"] + Self.links + Self.published).filter {
      schema[recordType: recordType]?[field: $0] != nil
    }
    try await container.forEachRecord(of: Query(recordType), desiredKeys: keys) { record in
      guard let identity = identity(of: record), repeated.contains(identity.digest) else { return }
      let link = first(Self.links, of: record)?.value.string ?? ""
      let enclosure = first(["enclosureURL"], of: record)?.value.string ?? ""
      groups[ExactText("\(identity.name)\n\(link)\n\(enclosure)"), default: []].append(record)
    }
    return groups.values.flatMap { records -> [RecordChange] in
      var kept: [Record] = []
      return records.sorted { rank($0) < rank($1) }.filter { record in
        if kept.contains(where: { repeats(record, $0) }) { return true }
        kept.append(record)
        return false
      }.map(RecordChange.init(deleting:))
    }.sorted { $0.recordName < $1.recordName }
  }

  /// Whether two articles with equal guid, link and enclosure have an equal title or date; without link and enclosure, both.
  /// A value that both lack is not equal.
  private func repeats(_ article: Record, _ kept: Record) -> Bool {
    let same = [["title"], Self.published].count { names in
      first(names, of: article).map { $0.value == first(names, of: kept)?.value } ?? false
    }
    return same == 2 || same == 1 && first(Self.links + ["enclosureURL"], of: kept) != nil
  }

  /// The least stays.
  private func rank(_ record: Record) -> (Int, Int64, String) {
    let isDerived = record.recordName == identity(of: record)?.name
    return (isDerived ? 0 : 1, record.created?.timestamp.milliseconds ?? .max, record.recordName)
  }

  /// The name that this tool gives an article, and the first bytes of the digest that it is; `nil` without a feed or guid.
  private func identity(of record: Record) -> (name: String, digest: UInt64)? {
    guard let feed = first([feedField], of: record)?.value.referredName,
      let guid = first(["guid"], of: record)?.value.string
    else { return nil }
    let name = CatalogRecordNames.article(feed: feed, guid: guid)
    return UInt64(name.prefix(16), radix: 16).map { (name, $0) }
  }

  private func finding(
    _ code: VerificationCode, _ sample: RecordNameSample, _ problem: String, help: String
  ) -> Diagnostic? {
    sample.count == 0 ? nil : Diagnostic(code, "\(sample.text(of: recordType)) \(problem)", help: help)
  }
}
