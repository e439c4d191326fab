package import Diagnostics

/// A CloudKit container's public database in one environment: a local file, a local server, or Apple's service.
///
/// Jobs see nothing else, so that the same job runs on a local file, on a local server over the real protocol,
/// and on Apple's service. Methods throw ``ServerError`` for a refusal in CloudKit's terms and
/// ``ContainerFailure`` for anything that kept the request from being answered.
///
/// No member has a default: each container says what it can do, and a container that wraps another one passes it on.
package protocol Container: Sendable {
  var identity: ContainerIdentity { get }

  /// One page. A page may be short or even empty: only an absent marker ends the results.
  func query(_ request: QueryRequest) async throws -> QueryPage

  /// At most ``ContainerLimits/recordsPerRequest`` names; outcomes in the order asked.
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome]

  /// At most ``ContainerLimits/operationsPerRequest``; outcomes in the order given. Never atomic: the public
  /// database has only the default zone (Documentation/reference/web-services.md#modify).
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome]

  /// Counts records by group inside the container; `nil` if the container cannot.
  var grouping: (any GroupCountingContainer)? { get }

  /// Creates records as made-up users; `nil` for a service with real ones.
  var simulatedUsers: (any SimulatedUsersContainer)? { get }

  var clock: ContainerClock { get }

  /// The user record name of the user or key that makes the requests; `nil` if the container does not say. Only to compare with:
  /// it must never be shown.
  var callerRecordName: String? { get }
}

package protocol SchemaManager: Sendable {
  /// The whole schema in the schema language, canonical.
  func exportSchema() async throws -> String
  /// Why the text cannot be imported; `nil` if it can.
  func validateSchema(_ text: String) async throws -> String?
  /// Replaces the whole schema. Types and fields that the text leaves out are deleted. Throws ``UnreadSchemaImport`` if
  /// the service accepted the schema and the container could not be read afterwards, and ``UnseenSchemaImport`` if it
  /// exported another one.
  func importSchema(_ text: String) async throws
  /// Makes development's schema equal production's and deletes all development records.
  func resetSchema() async throws
  /// Deploys the schema: adds to production what only development has. Throws `ContainerFailure` if only the
  /// CloudKit Console can deploy.
  func deploySchema() async throws
  /// Whether a failed import changes nothing and reports the reason.
  var importsInOneStep: Bool { get }
}

/// A container that can count records by group itself, so that they need not be read.
package protocol GroupCountingContainer: Sendable {
  /// Passes each distinct value of the group field to `body` once, with its number of records; records without a
  /// value make the group `""`. The groups come in no particular order, many at a time, and from several threads.
  ///
  /// Counts only records whose name follows ``GroupCountRequest/recordNames`` and returns how many it left out
  /// for their name. Each group is counted at one moment of the container, and another group perhaps at a later one: a
  /// record that changes its group in between may be counted in both.
  @discardableResult
  func countGroups(_ request: GroupCountRequest, _ body: @escaping @Sendable ([GroupCount]) -> Void)
    async throws -> Int64
}

/// A container for tests and demonstrations, which can create records as users that do not exist.
package protocol SimulatedUsersContainer: Sendable {
  /// The same as `modify` with creations, each as the user whose record name stands at its place in `creators`.
  func create(_ operations: [RecordOperation], as creators: [String]) async throws -> [RecordOutcome]
}

/// The name and environment of a container, for messages, plans and reports.
package struct ContainerIdentity: Sendable, Hashable {
  /// The name as in `--container`: `local:PATH`, `memory:`, `cloudkit:iCloud.com.example.App`.
  package var name: String
  package var environment: Environment
  /// The id that a local container's file contains, whatever path leads to it, and whichever emulator serves it. At
  /// another address than Apple's that is not an emulator's: the address. `nil` for a container of Apple's service,
  /// which its name identifies, and for a file that does not exist yet.
  package var id: String?

  package init(name: String, environment: Environment, id: String? = nil) {
    self.name = name
    self.environment = environment
    self.id = id
  }

  /// Whether both are the same container and environment: by their ids, or by their names where one of them has no id.
  /// Of containers that exist, only those of Apple's service have none, and an emulator may serve their names.
  package func isSameContainer(as other: ContainerIdentity) -> Bool {
    guard let id, let otherID = other.id else {
      return self == other && (id == other.id || !name.hasPrefix("cloudkit:"))
    }
    return id == otherID && environment == other.environment
  }

  /// Different for each container and environment, for files that say where something was done.
  package var key: String { "\(environment.rawValue) \(id ?? name)" }

  /// `local:catalog.sqlite (development)`
  package var inWords: String { "\(name) (\(environment.rawValue))" }

  /// What a command line names it by.
  package var options: String { "--container \(name.shellWord) --environment \(environment.rawValue)" }

  /// Compares what a user named. A setting has no id.
  package static func == (one: ContainerIdentity, other: ContainerIdentity) -> Bool {
    one.name == other.name && one.environment == other.environment
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(environment)
  }
}

package enum Environment: String, Sendable, Hashable, CaseIterable {
  case development, production
}

package enum ContainerLimits {
  /// Documentation/reference/web-services.md#limits (A).
  package static let operationsPerRequest = 200
  /// Documentation/reference/web-services.md#limits (A).
  package static let recordsPerRequest = 200
  /// Names in one query. Failures were reported above about 193 (Documentation/reference/web-services.md#in-filters).
  package static let namesPerQuery = 100
  /// Pages without a record, one after the other, after which a walk through the pages of a query ends.
  package static let emptyPages = 1000
  /// Bytes of one record without its assets: Documentation/reference/web-services.md#limits (A).
  package static let recordSize = 1_000_000
  /// Characters of a record name (Documentation/reference/web-services.md#record-dictionary: CKRecord.ID).
  package static let recordName = 255
  /// How long after a change the queries of a service may miss it, unless `records.settle` says otherwise
  /// (Documentation/reference/web-services.md#index-delay).
  package static let settleTime = Duration.seconds(120)
}

/// A query with its page size, continuation marker and fields to return.
package struct QueryRequest: Sendable, Hashable {
  package var query: Query
  /// The fields to return; `nil` returns all, an empty list none.
  package var desiredKeys: [String]?
  /// At most ``ContainerLimits/recordsPerRequest``; `nil` leaves it to the container.
  package var resultsLimit: Int?
  /// From the page before; the query must be the same.
  package var continuationMarker: String?

  package init(
    _ query: Query, desiredKeys: [String]? = nil, resultsLimit: Int? = nil, continuationMarker: String? = nil
  ) {
    self.query = query
    self.desiredKeys = desiredKeys
    self.resultsLimit = resultsLimit
    self.continuationMarker = continuationMarker
  }
}

package struct QueryPage: Sendable {
  package var records: [Record]
  /// Present while there is more.
  package var continuationMarker: String?

  package init(records: [Record], continuationMarker: String? = nil) {
    self.records = records
    self.continuationMarker = continuationMarker
  }
}

package struct LookupRequest: Sendable, Hashable {
  package var recordNames: [String]
  package var desiredKeys: [String]?
  /// The type of the records, where it is known: a mirror that was made without it does not say that they do not exist.
  package var recordType: String?

  package init(_ recordNames: [String], desiredKeys: [String]? = nil, of recordType: String? = nil) {
    self.recordNames = recordNames
    self.desiredKeys = desiredKeys
    self.recordType = recordType
  }
}

package struct GroupCountRequest: Sendable, Hashable {
  package var recordType: String
  /// A STRING, REFERENCE or INT64 field.
  package var groupField: String
  package var filters: [Filter]
  /// Which record names count; `nil` takes them all.
  package var recordNames: RecordNameRule?
  /// Checks each name against its creator, which takes longer; `nil` does not.
  package var creatorNames: CreatorNames?

  package init(
    recordType: String, groupField: String, filters: [Filter] = [], recordNames: RecordNameRule? = nil,
    creatorNames: CreatorNames? = nil
  ) {
    self.creatorNames = creatorNames
    self.recordType = recordType
    self.groupField = groupField
    self.filters = filters
    self.recordNames = recordNames
  }
}

/// How many records have one value in the group field.
package struct GroupCount: Sendable, Hashable {
  /// The field's text, or the record name of its reference.
  package var group: String
  package var records: Int64
  /// The classes of the records' names; `nil` unless the request asks for them.
  package var names: NameTally?

  package init(group: String, records: Int64) {
    self.group = group
    self.records = records
  }

  package init(group: String, names: NameTally) {
    self.init(group: group, records: names.verified + names.own + names.madeUp + names.unknown)
    self.names = names
  }
}

package enum RecordNameRule: String, Sendable, Hashable, CaseIterable {
  /// 64 lowercase hexadecimal digits: a SHA-256 digest.
  case sha256
  /// The same, and it is the digest of `GROUP-CREATOR`, which ``CreatorNames`` checks.
  case sha256OfCreator = "sha256-of-creator"

  package func accepts(_ recordName: String) -> Bool { Self.isDigest(recordName.utf8) }

  package func accepts(_ recordName: UnsafeRawBufferPointer) -> Bool { Self.isDigest(recordName) }

  private static func isDigest(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count == 64 && bytes.allSatisfy { $0.isLowercaseHexDigit }
  }
}

/// The error of a container that could not process a request, in words for the user.
package struct ContainerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failures, which decide the exit status and whether a retry makes sense.
  package enum Kind: Sendable, Hashable {
    /// The file cannot be read, is damaged, is from a newer version, or the disk is full.
    case storage
    /// The file is another program's, or nothing shows that it was a container.
    case notContainer
    /// Another process is using the container.
    case busy
    case readOnly
    /// No connection can be made as things are configured: the certificate, the address or a header.
    case unreachable
    /// The request was sent and no reply came: the service may have carried it out.
    case outcomeUnknown
    /// The answer is not CloudKit's, or does not fit the request.
    case unusableAnswer
    /// The request or the answer is too large. A request for fewer records may succeed.
    case tooLarge
    case unavailable(retryAfter: Duration?)
    /// A credential is missing, damaged or refused.
    case credential
  }

  package var kind: Kind
  package var message: String
  package var hint: String?

  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  package var description: String { message }

  /// True if the write may have been carried out nevertheless, so that the records must be read to find out.
  package var leavesWriteOpen: Bool { kind == .outcomeUnknown || kind == .unusableAnswer }

  /// True if a write was refused. A service that cannot be reached may have carried out an earlier attempt.
  package var wroteNothing: Bool { isOfFile || kind == .busy || kind == .readOnly }

  /// True if a container's file cannot be used: the container does not come back without help.
  package var isOfFile: Bool { kind == .storage || kind == .notContainer }
}

/// The failure to read a schema back after the container accepted its import.
package struct UnreadSchemaImport: Error {
  private let cause: any Error

  package init(_ cause: any Error) { self.cause = cause }
}

extension UnreadSchemaImport: CommandFailureConvertible {
  package var failure: CommandFailure {
    let cause = CommandFailure(cause)
    let again = "Run the command again to make sure that the container has the schema."
    return CommandFailure(
      "the import was accepted, but could not be read back: \(cause.message)", details: cause.details,
      code: cause.code, hint: [cause.hint, again].compactMap(\.self).joined(separator: " "),
      status: cause.status, retryAfter: cause.retryAfter, diagnostics: cause.diagnostics)
  }
}

/// The container accepted an import, and still exports another schema.
package struct UnseenSchemaImport: Error {
  private let wait: Duration

  /// - Parameter wait: after which another export may have it.
  package init(_ wait: Duration) { self.wait = wait }
}

extension UnseenSchemaImport: CommandFailureConvertible {
  package var failure: CommandFailure {
    ContainerFailure(
      .unavailable(retryAfter: wait),
      "the schema was imported, but the container's exported schema does not show the change yet",
      hint: "Compare again with 'schema diff' in a minute."
    ).failure
  }
}

extension ContainerFailure: CommandFailureConvertible {
  package var failure: CommandFailure {
    let (code, status): (String, ExitStatus) =
      switch kind {
      case .storage, .notContainer: ("storage", .failed)
      case .busy: ("busy", .locked)
      case .readOnly: ("read-only", .failed)
      case .unreachable: ("unreachable", .failed)
      case .outcomeUnknown: ("outcome-unknown", .failed)
      case .unusableAnswer: ("unusable-answer", .failed)
      case .tooLarge: ("too-large", .failed)
      case .unavailable: ("unavailable", .tryLater)
      case .credential: ("credential", .denied)
      }
    var failure = CommandFailure(message, code: code, hint: hint, status: status)
    if case .unavailable(let delay) = kind { failure.retryAfter = delay }
    return failure
  }
}
