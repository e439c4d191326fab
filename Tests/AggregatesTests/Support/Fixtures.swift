import CloudKitModel
import Cryptography
import RecordChanges
import SchemaLanguage

@testable import Aggregates

/// The parts of the Celestra schema that recounts touch.
enum Fixtures {
  static let recordID = Field("___recordID", .reference, [.queryable])

  static let schema = Schema(recordTypes: [
    RecordType(
      "AdminLease",
      fields: [
        recordID, Field("expiresAt", .timestamp), Field("holder", .string), Field("purpose", .string),
      ]),
    RecordType("FeedCollection", fields: [recordID, Field("subscriberCount", .int64, [.sortable])]),
    RecordType(
      "FeedMetadata",
      fields: [
        recordID, Field("feedReference", .reference, [.queryable]), Field("subscriberCount", .int64),
      ]),
    RecordType(
      "FeedSubscription",
      fields: [
        recordID, Field("feedRecordName", .string, [.queryable, .sortable]),
      ]),
    RecordType(
      "PublicFeed",
      fields: [
        recordID, Field("subscriberCount", .int64, [.sortable]), Field("qualityScore", .double),
        Field("isVerified", .int64),
      ]),
  ])

  static func feed(_ number: Int, subscribers: Int64? = nil) -> Record {
    Record(
      recordType: "PublicFeed", recordName: "feed-\(number)",
      fields: subscribers.map { ["subscriberCount": .int64($0)] } ?? [:])
  }

  static func metadata(_ number: Int, subscribers: Int64? = nil) -> Record {
    var fields: [String: FieldValue] = ["feedReference": .reference(Reference("feed-\(number)"))]
    if let subscribers { fields["subscriberCount"] = .int64(subscribers) }
    return Record(recordType: "FeedMetadata", recordName: "metadata-\(number)", fields: fields)
  }

  static func subscription(_ feed: String, user: Int) -> Record {
    Record(
      recordType: "FeedSubscription", recordName: SHA256.hex("\(feed)-_user\(user)"),
      fields: ["feedRecordName": .string(feed)], created: stamp("_user\(user)"))
  }

  static func stamp(_ user: String) -> RecordStamp {
    RecordStamp(timestamp: Timestamp(milliseconds: 0), userRecordName: user, deviceID: "")
  }

  /// Feed `n` has `(n * 37) % 211` subscribers, the first a great many more.
  static func subscribers(of feed: Int) -> Int { feed == 0 ? 2345 : feed * 37 % 211 }

  /// `feeds` feeds with metadata, their subscriptions, 7 orphans and 3 wrongly named ones.
  static func fill(_ container: MemoryContainer, feeds: Int) {
    for number in 0..<feeds {
      container.insert([feed(number), metadata(number)])
      container.insert((0..<subscribers(of: number)).map { subscription("feed-\(number)", user: $0) })
    }
    container.insert((0..<7).map { subscription("gone", user: $0) })
    container.insert(
      (0..<3).map {
        Record(
          recordType: "FeedSubscription", recordName: "stuffed-\($0)",
          fields: ["feedRecordName": .string("feed-1")])
      })
  }

  static func total(feeds: Int) -> Int { (0..<feeds).reduce(0) { $0 + subscribers(of: $1) } }

  static func environment(
    at now: Int64 = 1_000_000, run: String = "run-1", schema: Schema = schema
  ) -> WriteSessionDependencies {
    WriteSessionDependencies(
      now: { Timestamp(milliseconds: now) }, runID: run, schema: schema, clock: StillClock(), wait: { _ in })
  }

  static func recount(
    _ container: MemoryContainer, _ declaration: AggregateDeclaration = .subscribers,
    pushdown: Bool = false, run: String = "run-1",
    at now: Int64 = 1_000_000, schema: Schema = schema,
    dryRun: Bool = false,
    _ configure: (inout RecountOptions) -> Void = { _ in }
  ) -> Recount {
    var options = RecountOptions()
    configure(&options)
    return Recount(
      declaration, schema: schema,
      container: pushdown ? GroupingContainer(base: container) : container, options: options,
      dependencies: environment(at: now, run: run, schema: schema), dryRun: dryRun)
  }

  /// Every feed and its copy hold the true number.
  static func isExact(_ container: MemoryContainer, feeds: Int) -> Bool {
    (0..<feeds).allSatisfy { number in
      let count = FieldValue.int64(Int64(subscribers(of: number)))
      return container["feed-\(number)"]?["subscriberCount"] == count
        && container["metadata-\(number)"]?["subscriberCount"] == count
    }
  }

  /// The state of a scan of these groups that has read nothing.
  static func scan(groups: [String], _ strategy: ScanStrategy = .sweep, units: [ScanQuery] = [])
    -> ScanCheckpoint
  {
    let start = Timestamp(milliseconds: 0)
    return ScanCheckpoint(
      job: "j", fingerprint: "f", startedAt: start, asOf: start, strategy: strategy, groups: groups,
      units: units)
  }
}
