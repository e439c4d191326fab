import CloudKitModel
import Diagnostics
import RecordChanges

/// Finds records of one type with the same value of a field that is kept unique.
struct UniqueFieldRule: VerificationRule {
  private let unique: UniqueField
  private let code: VerificationCode
  private var records: [ExactText: [ReadRecord]] = [:]

  /// `nil` for a field that the verification does not check.
  init?(_ unique: UniqueField) {
    self.unique = unique
    switch unique.field {
    case "feedURL": code = .duplicateFeedURL
    case "feedReference": code = .duplicateMetadata
    case "slug" where unique.recordType == CatalogRecordType.feedCategory: code = .duplicateCategorySlug
    case "slug": code = .duplicateFeedSlug
    default: return nil
    }
  }

  var keys: [String: [String]] { [unique.recordType: [unique.field] + ReadRecord.fields] }

  mutating func visit(_ record: Record) {
    guard let key = unique.key(of: record) else { return }
    records[key, default: []].append(ReadRecord(record))
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    records.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { key, records in
      let names = records.map(\.name).sorted()
      let shown = names.joined(separator: ", ")
      let value = key.text
      return switch code {
      case .duplicateMetadata:
        Diagnostic(
          code, "feed \(value) has \(records.count) FeedMetadata records: \(shown)",
          help: metadataHelp(key.text, names))
      case .duplicateFeedURL:
        Diagnostic(
          code, "\(records.count) \(unique.recordType) records have the feedURL \(value): \(shown)",
          help: feedHelp(records.bestFirst))
      default:
        Diagnostic(
          code,
          "\(records.count) \(unique.recordType.singular) records have the slug '\(value)': \(records.titles)",
          help: "keep it on one of them, and remove it from the others, for example: "
            + VerificationHelp.set("slug", of: unique.recordType, records.ranked(for: value)[1].name))
      }
    }
  }

  private func metadataHelp(_ feed: String, _ names: [String]) -> String {
    let own = CatalogRecordNames.metadata(feed: feed)
    return "jobs write \(own); delete the others: " + VerificationHelp.delete(names.filter { $0 != own })
  }

  /// A record with readers must not be deleted, because their subscriptions refer to it.
  private func feedHelp(_ ranked: [ReadRecord]) -> String {
    let unread = ranked.dropFirst().filter { $0.readers == 0 }.map(\.name)
    let kept = "keep \(ranked[0].name) with \(counted(ranked[0].readers, "reader"))"
    if unread.count == ranked.count - 1 {
      return "\(kept), and after a recount delete those without readers: \(VerificationHelp.delete(unread))"
    }
    // Records of this type cannot be replaced by another.
    return unique.recordType == CatalogRecordType.cloudFeed
      ? "\(kept): add \"recordName\": \"\(ranked[0].name)\" to its seed, and delete the others once they have no readers"
      : "\(kept), and give the others \"replacedBy\" in the seeds: celestra-admin seed duplicates"
  }
}

/// What decides which of several records keeps a value that only one may have.
struct ReadRecord {
  static let fields = Record.readerFields + ["lastVerified", "verifiedTimestamp"] + Record.titleFields

  let name: String
  let readers: Int64
  private let title: String?
  fileprivate let shown: String
  /// Whether a health check could read the feed.
  private let wasRead: Bool
  /// The highest number where it is unknown.
  private let created: Int64

  init(_ record: Record) {
    name = record.recordName
    readers = record.publishedReaders() ?? 0
    title = record.shownTitle
    shown = record.titleAndName
    wasRead = (record["lastVerified"] ?? record["verifiedTimestamp"]) != nil
    created = record.created?.timestamp.milliseconds ?? .max
  }

  /// As `seed duplicates` decides: more readers, then a check that could read the feed, then the older record.
  fileprivate func isBetter(than other: ReadRecord) -> Bool {
    if readers != other.readers { return readers > other.readers }
    if wasRead != other.wasRead { return wasRead }
    return (created, name) < (other.created, other.name)
  }

  fileprivate func hasTitle(of slug: String) -> Bool { title.flatMap(Slug.derived) == slug }
}

extension [ReadRecord] {
  var titles: String { sorted { $0.name < $1.name }.map(\.shown).joined(separator: ", ") }

  /// Those whose title has the words of the slug come first, then the better ones. All but the first are to lose the slug.
  func ranked(for slug: String) -> [ReadRecord] {
    let ranked = bestFirst
    return ranked.filter { $0.hasTitle(of: slug) } + ranked.filter { !$0.hasTitle(of: slug) }
  }

  fileprivate var bestFirst: [ReadRecord] { sorted { $0.isBetter(than: $1) } }
}

struct RepeatedFeedRule: VerificationRule {
  private var found: [Diagnostic] = []

  var keys: [String: [String]] { [CatalogRecordType.feedCollection: ["feeds"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedCollection else { return }
    let feeds = record["feeds"]?.references ?? []
    var seen: Set<String> = []
    let repeated = Set(feeds.filter { !seen.insert($0).inserted })
    guard !repeated.isEmpty else { return }
    found.report(
      VerificationCode.repeatedFeed,
      "collection \(record.recordName) lists \(repeated.sorted().joined(separator: ", ")) more than once",
      help: "keep the first of each: \(VerificationHelp.fix)")
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] { found }
}

/// Finds subscriptions whose record name is not 64 lowercase hexadecimal digits; recounts ignore them. Messages do
/// not quote the names, which may contain a user's name.
struct SubscriptionNameRule: VerificationRule {
  private var count = 0

  var keys: [String: [String]] { [CatalogRecordType.feedSubscription: []] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedSubscription else { return }
    if !RecordNameRule.sha256.accepts(record.recordName) { count += 1 }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    guard count > 0 else { return [] }
    let records = counted(count, "\(CatalogRecordType.feedSubscription) record")
    return [
      Diagnostic(
        VerificationCode.malformedSubscription,
        "the name of \(records) is not 64 lowercase hexadecimal digits",
        help: "recounts do not count them; find the client that creates them: "
          + VerificationHelp.export(CatalogRecordType.feedSubscription))
    ]
  }
}
