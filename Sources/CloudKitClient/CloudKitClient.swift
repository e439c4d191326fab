package import CloudKitModel
internal import Diagnostics
internal import HTTPTransport
internal import Synchronization
internal import WebServicesWire

/// A container that is reached through CloudKit Web Services, at Apple or another server with the same protocol.
///
/// All tasks share one rate limit, one limit of simultaneous requests and one circuit breaker. Requests are retried
/// while the service is busy if that is safe. A `modify` whose reply was lost is not retried, because it could
/// conflict with itself or overwrite another client's write. It throws ``ContainerFailure`` of the kind
/// `.outcomeUnknown`, and the caller reads the records to find out what was written.
package final class CloudKitClient: Container {
  package let identity: ContainerIdentity
  private let isEmulated: Bool
  private let requests: RequestBuilder
  private let pipeline: RequestPipeline
  private let pageSizes = PageSizeLimiter()
  private let time: any ClientClocks
  private let serviceClock = ServiceClock()

  package init(_ settings: ClientSettings, dependencies: ClientDependencies) {
    identity = ContainerIdentity(
      name: "cloudkit:\(settings.container)", environment: settings.environment, id: settings.identity)
    isEmulated = settings.baseURL.isLoopbackURL
    requests = RequestBuilder(settings)
    time = dependencies.time
    pipeline = RequestPipeline(
      settings.pipeline.bounded(for: settings.baseURL), dependencies: dependencies)
  }

  /// The protocol has no operation that counts groups.
  package var grouping: (any GroupCountingContainer)? { nil }

  /// A key may not ask who it is (Documentation/reference/web-services.md#credentials-and-databases). The stamps of the
  /// records that a run writes show it: see `JobWriter.author`.
  package var callerRecordName: String? { nil }

  /// The service's clock, as the header `Date` of its replies states it. When the last reply is too old, a lookup of one
  /// record brings another.
  package var clock: ContainerClock {
    ContainerClock(
      known: { [serviceClock, time] in serviceClock.known(at: time.uptime) },
      current: { [self] in
        if !serviceClock.isCurrent(at: time.uptime) {
          _ = try await lookupOnce(LookupRequest(["celestra-admin-clock"], desiredKeys: []))
        }
        return serviceClock.known(at: time.uptime)
      })
  }

  /// If the response is too large, requests a shorter page.
  package func query(_ request: QueryRequest) async throws -> QueryPage {
    let kind = PageSizeLimiter.RequestKind(recordType: request.query.recordType, keys: request.desiredKeys)
    var request = request
    while true {
      request.resultsLimit = pageSizes.limit(for: kind, asked: request.resultsLimit)
      do {
        return try await page(request)
      } catch let refusal as ServerError {
        throw refusal.ofQuery(of: request.query.recordType)
      } catch let failure as ContainerFailure where failure.kind == .tooLarge {
        try pageSizes.halve(kind, from: request.resultsLimit ?? ContainerLimits.recordsPerRequest, failure)
      }
    }
  }

  private func page(_ request: QueryRequest) async throws -> QueryPage {
    let reply = try await records(.recordsQuery, QueryMessage(request))
    var records: [Record] = []
    records.reserveCapacity(reply.outcomes.count)
    for outcome in reply.outcomes {
      switch outcome {
      case .record(let record): records.append(record)
      case .failed(_, let error): throw error
      case .deleted: break
      }
    }
    return QueryPage(records: records, continuationMarker: reply.continuationMarker)
  }

  /// If the response is too large, requests the records in parts.
  package func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    let kind = PageSizeLimiter.RequestKind(recordType: nil, keys: request.desiredKeys)
    var outcomes: [RecordOutcome] = []
    repeat {
      let rest = request.recordNames.dropFirst(outcomes.count)
      let names = rest.prefix(pageSizes.limit(for: kind, asked: rest.count) ?? rest.count)
      do {
        outcomes += try await lookupOnce(LookupRequest(Array(names), desiredKeys: request.desiredKeys))
      } catch let failure as ContainerFailure where failure.kind == .tooLarge {
        try pageSizes.halve(kind, from: names.count, failure)
      }
    } while outcomes.count < request.recordNames.count
    return outcomes
  }

  private func lookupOnce(_ request: LookupRequest) async throws -> [RecordOutcome] {
    let outcomes = try await records(.recordsLookup, LookupMessage(request)).outcomes
    try require(outcomes.count, request.recordNames.count, .recordsLookup)
    return outcomes
  }

  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await modify(ModifyMessage(operations))
  }

  private func modify(_ message: ModifyMessage) async throws -> [RecordOutcome] {
    let outcomes = try await records(.recordsModify, message).outcomes
    try require(outcomes.count, message.operations.count, .recordsModify)
    return outcomes
  }

  private func require(_ received: Int, _ expected: Int, _ endpoint: Endpoint) throws {
    guard received != expected else { return }
    throw ContainerFailure.unusable(
      endpoint.rawValue, "the reply has \(received) entries, but the request had \(expected)")
  }

  // MARK: - One request

  private func records(_ endpoint: Endpoint, _ message: some WireMessage) async throws -> RecordsReply {
    let response = try await pipeline.send(call(endpoint, body: message.json.bytes()))
    requests.rotateWebAuthToken(from: response)
    do {
      let json = try JSONValue(parsing: response.body)
      if let error = requests.error(in: response, json) { throw error }
      return try RecordsReply(json: json)
    } catch let error as JSONSyntaxError {
      throw ContainerFailure.unusable(endpoint.rawValue, error.description, uuid: response.requestUUID)
    } catch let error as WireFormatError {
      throw ContainerFailure.unusable(
        endpoint.rawValue, error.description, uuid: response.requestUUID,
        hint: error.isUnknownType
          ? "Install a newer version of celestra-admin, or leave the field out with --fields." : nil)
    }
  }

  private func call(_ endpoint: Endpoint, body: [UInt8]) -> RequestPipeline.Call {
    RequestPipeline.Call(
      name: endpoint.rawValue, isRepeatable: endpoint.isRepeatable,
      request: { [requests] time in try requests.request(endpoint, body: body, at: time) },
      error: { [requests] in requests.error(in: $0) }, clock: requests.clock,
      heard: { [self] response, sent, received in
        // What stands between this machine and the service has a clock of its own.
        guard response.isSuccess ? response.beginsObject : requests.error(in: response) != nil else { return }
        serviceClock.hear(response, sent: sent, received: received)
      },
      breaksOff: { $0.beginsObject && $0.body.last { $0 > 0x20 } != UInt8(ascii: "}") })
  }
}

extension CloudKitClient: SimulatedUsersContainer {
  /// Only an emulator on this machine: the key that it reads is unknown to Apple's service.
  package var simulatedUsers: (any SimulatedUsersContainer)? { isEmulated ? self : nil }

  package func create(_ operations: [RecordOperation], as creators: [String]) async throws -> [RecordOutcome]
  {
    var message = ModifyMessage(operations)
    message.simulatedCreators = creators
    return try await modify(message)
  }
}

extension HTTPResponse {
  fileprivate var beginsObject: Bool { body.first == UInt8(ascii: "{") }
}

/// Limits the number of records in a response, so that the client does not read 200 records of 1 MB at once. Halves
/// the number when a response was too large.
final class PageSizeLimiter: Sendable {
  /// The record type and fields of a request. Records with the same fields have similar sizes.
  struct RequestKind: Hashable {
    /// `nil` for a lookup, whose names may belong to any type.
    var recordType: String?
    var keys: [String]?
  }

  /// The maximum size of a response in bytes. The largest possible record fits several times, even if every
  /// character is escaped.
  static let maxBytes = 32 << 20

  private let limits = Mutex<[RequestKind: Int]>([:])

  /// - Parameter asked: the requested number; `nil` uses the service's default.
  func limit(for kind: RequestKind, asked: Int?) -> Int? {
    guard let known = limits.withLock({ $0[kind] }) else { return asked }
    return min(known, asked ?? known)
  }

  /// Allows half as many records from now on. Throws the failure if a single record was too large.
  func halve(_ kind: RequestKind, from count: Int, _ failure: ContainerFailure) throws {
    guard count > 1 else { throw failure }
    limits.withLock { $0[kind] = min($0[kind] ?? count, count / 2) }
  }
}
