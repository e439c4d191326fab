package import CloudKitModel
package import Diagnostics
internal import FoundationEssentials

/// Settings of a local container: its behavior, limits, clock and name generator.
package struct LocalContainerSettings: Sendable {
  package var behavior = ServerBehavior()
  /// The default and maximum number of records in a page, from 1 to 200.
  package var pageSize = ContainerLimits.recordsPerRequest
  /// How long to wait for another process that is writing.
  package var busyTimeout = Duration.seconds(5)
  package var waits = WaitReporter.silent
  /// The clock for the `created` and `modified` stamps.
  package var now: @Sendable () -> Timestamp
  package var makeRecordName: @Sendable () -> String
  /// The number before the first change tag of a handle, from 0 up to 2 to the power of 62. Numbers are random, so that
  /// no two handles give the same tag: not those of a copy, and not those of a file that an older copy has replaced.
  package var makeTagStart: @Sendable () -> Int64 = { .random(in: 0..<ChangeTag.startLimit) }
  /// The device ID in the `created` and `modified` stamps.
  package var deviceID = "celestra-admin"
  /// Whether a transaction may outlast the call that began it.
  var keepsTransactionsOpen = false
  /// The maximum size of the file in SQLite pages, with which tests simulate a full disk.
  var maximumPages: Int?

  package init(
    now: @escaping @Sendable () -> Timestamp = LocalContainerSettings.systemClock,
    makeRecordName: @escaping @Sendable () -> String = LocalContainerSettings.randomName
  ) {
    self.now = now
    self.makeRecordName = makeRecordName
  }

  @Sendable package static func randomName() -> String { UUID().uuidString }

  @Sendable package static func systemClock() -> Timestamp {
    Timestamp(Date())
  }
}

/// Choices for every point where the behavior of Apple's service is unknown, one setting each.
/// `Documentation/Fidelity.md` lists all of them. The emulator's option `--behavior` changes them.
package struct ServerBehavior: Sendable, Hashable {
  package enum Choice: String, Sendable, CaseIterable { case accept, refuse }
  /// The answer to a query of records that the caller may not read: an error or an empty page.
  package enum Unreadable: String, Sendable, CaseIterable { case refuse, empty }
  /// What the refusal of a query without a usable index names.
  package enum UnindexedType: String, Sendable, CaseIterable { case field, type }
  package enum GrantlessType: String, Sendable, CaseIterable { case defaultGrants, nobody }

  package var ranges = RangeIndexRule.queryableOrSortable
  /// Whether NOT_EQUALS and the other negated comparators match records that have no value in the field.
  package var negationFindsMissing = false
  /// Whether a `resultsLimit` above 200 is accepted and lowered to 200.
  package var largeResultsLimit = Choice.accept
  /// The maximum number of values in one IN filter. 250 is the native API's limit.
  package var filterValues = 250
  /// Whether the refusal of a query of a type without any index names the field or the type.
  package var unindexedType = UnindexedType.field
  /// Whether a request may contain two operations on the same record.
  package var repeatedRecord = Choice.refuse
  /// The error code for more operations, names or bytes than allowed.
  package var overLimit = ServerError.Code.badRequest
  /// The answer to a query of a type that the caller may not read.
  package var unreadableQuery = Unreadable.refuse
  /// Whether a subscription is accepted whose predicate would be refused in a query, as for a missing index.
  package var subscriptionPredicate = Choice.refuse
  package var updateWithoutTag = Choice.refuse
  package var deleteWithoutTag = Choice.accept
  package var updateOfMissing = ServerError.Code.conflict
  /// Whether a write that changes no field gives the record a new change tag.
  package var writeWithoutChangeMakesTag = true
  /// Whether a write in development adds unknown record types and fields to the schema.
  package var justInTimeSchema = false
  /// Milliseconds until queries find a new record.
  package var indexDelay: Int64 = 0
  package var typeWithoutGrants = GrantlessType.defaultGrants
  /// Whether a field that production does not have may change its type; its values are lost.
  package var fieldTypeChange = Choice.accept
  /// Whether a schema without the type `Users` is accepted; the container keeps the type.
  package var omittedUsersType = Choice.accept
  /// The maximum number of records that refer to one record with DELETE_SELF. Apple documents 750.
  package var deleteSelfSources = 750
  /// The maximum length of a record name in bytes (`CKRecord.ID` documents 255 ASCII characters).
  package var recordNameLength = 255

  /// Whether EQUALS compares text without regard to the case of ASCII letters.
  package var equalsIgnoresCase = false

  package init() {}
}
