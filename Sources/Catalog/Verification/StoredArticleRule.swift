import CloudKitModel
import Cryptography
import Diagnostics

/// Finds articles that an app would show twice, too long or at the wrong place
/// (Documentation/reference/articles.md#retention).
struct StoredArticleRule: VerificationRule {
  private let recordType: String
  private let feedField: String
  private let now: Timestamp
  /// Digests of feed and guid: eight bytes an article.
  private var identities: Set<UInt64> = []
  private var duplicates = RecordNameSample()
  private var expired = RecordNameSample()
  private var unlimited = RecordNameSample()
  private var future = RecordNameSample()

  /// A purge every day leaves no article this long after its time.
  private static let overdue = Duration.seconds(7 * 86_400)
  /// No setting keeps articles longer without a reason.
  private static let maxLifetime = Duration.seconds(366 * 86_400)
  private static let maxLead = Duration.seconds(86_400)

  init(recordType: String, feedField: String, now: Timestamp) {
    self.recordType = recordType
    self.feedField = feedField
    self.now = now
  }

  var keys: [String: [String]] {
    [
      recordType: [
        feedField, "guid", "expiresAt", "expiresTimestamp", "publishedDate", "publishedTimestamp",
      ]
    ]
  }

  mutating func visit(_ record: Record) {
    guard record.recordType == recordType else { return }
    let feed = record[feedField]?.reference?.recordName ?? record[feedField]?.string
    if let feed, let guid = record["guid"]?.string {
      let digest = SHA256.digest("\(feed)|\(guid)").prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if !identities.insert(digest).inserted { duplicates.add(record.recordName) }
    }
    let expires = (record["expiresAt"] ?? record["expiresTimestamp"])?.timestamp
    if let expires, now.since(expires) > Self.overdue { expired.add(record.recordName) }
    if expires.map({ $0.since(now) > Self.maxLifetime }) ?? true { unlimited.add(record.recordName) }
    let published = (record["publishedDate"] ?? record["publishedTimestamp"])?.timestamp
    if let published, published.since(now) > Self.maxLead { future.add(record.recordName) }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    [
      finding(
        .duplicateArticle, duplicates, "repeat the guid of another article of their feed",
        help: VerificationHelp.delete(duplicates.examples)),
      finding(
        .expiredArticle, expired, "expired more than 7 days ago", help: "celestra-admin articles purge"),
      finding(
        .unlimitedArticle, unlimited, "have no expiry, or one more than a year ahead",
        help: "celestra-admin articles purge deletes them a lifetime after their creation"),
      finding(
        .futureArticle, future, "were published more than a day ahead of now",
        help: VerificationHelp.delete(future.examples)),
    ].compactMap(\.self)
  }

  private func finding(
    _ code: VerificationCode, _ sample: RecordNameSample, _ problem: String, help: String
  ) -> Diagnostic? {
    sample.count == 0 ? nil : code.finding("\(sample.text(of: recordType)) \(problem)", help: help)
  }
}
