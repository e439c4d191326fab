package import CloudKitModel
package import Cryptography
internal import Diagnostics
internal import HTTPTransport
internal import SchemaLanguage
package import WebServicesWire

/// Manages a container's schema through the CloudKit management API, which Apple's `cktool` uses and Apple has not
/// published. Unverified details are in ``ManagementAPIAssumption``.
package final class ManagementClient: RemoteSchemaManager {
  private let target: ManagementTarget
  private let token: Secret
  private let host: String
  private let polling: SchemaImportPolling
  private let pipeline: RequestPipeline
  private let time: any ClientClocks
  private let waits: WaitReporter

  package init(
    _ target: ManagementTarget, token: Secret, host: String,
    pipeline: RequestPipelineSettings = RequestPipelineSettings(requestsPerSecond: 2),
    polling: SchemaImportPolling = SchemaImportPolling(), dependencies: ClientDependencies
  ) {
    self.target = target
    self.token = token
    self.host = host
    self.polling = polling
    time = dependencies.time
    waits = dependencies.waits
    self.pipeline = RequestPipeline(
      pipeline.bounded(for: host), dependencies: dependencies)
  }

  /// Import is a call of its own, which gives less of a reason than validation.
  package var importsInOneStep: Bool { false }

  package func exportSchema() async throws -> String {
    let response = try await send(.exportSchema)
    guard let text = String(validating: response.body, as: UTF8.self) else {
      throw ContainerFailure.unusable("schema export", "it is not valid UTF-8", uuid: response.requestUUID)
    }
    return text
  }

  package func validateSchema(_ text: String) async throws -> String? {
    let reply: SchemaValidationReply = try await answer(to: .validateSchema, file: text)
    return reply.isValid ? nil : reply.errorMessage ?? "the service gives no reason"
  }

  package func importSchema(_ text: String) async throws {
    _ = try await send(.importSchema, file: text)
    try await polling.waitUntil(self, says: text, time: time, waits: waits)
  }

  package func resetSchema() async throws { _ = try await send(.resetSchema) }

  /// Deploys the schema of an emulator. Throws on Apple's service, whose deploy call is unknown.
  package func deploySchema() async throws {
    guard host != ManagementAPIAssumption.host.value else { throw ContainerFailure.consoleDeploys }
    _ = try await send(.deploySchema)
  }

  package func teams() async throws -> [TeamsReply.Team] {
    let reply: TeamsReply = try await answer(to: .teams)
    return reply.teams
  }

  // MARK: - One request

  private func answer<Reply: WireMessage>(
    to kind: ManagementCall.Kind, file: String? = nil
  ) async throws -> Reply {
    let response = try await send(kind, file: file)
    do { return try Reply(json: JSONValue(parsing: response.body)) } catch {
      throw ContainerFailure.unusable(kind.rawValue, "\(error)", uuid: response.requestUUID)
    }
  }

  private func send(_ kind: ManagementCall.Kind, file: String? = nil) async throws -> HTTPResponse {
    let request = request(kind, file: file)
    return try await pipeline.send(
      RequestPipeline.Call(
        name: kind.rawValue, isRepeatable: kind != .resetSchema, request: { _ in request },
        error: error))
  }

  private func request(_ kind: ManagementCall.Kind, file: String?) -> HTTPRequest {
    var request = HTTPRequest(
      kind.method,
      url: host.withoutTrailingSlash + kind.path(target))
    request.headers[ManagementAPIAssumption.tokenHeader.value] = token.exposed
    if let file {
      // The content cannot contain its own hash.
      let boundary = "schema-" + SHA256.hex(file).prefix(40)
      request.headers["Content-Type"] = MultipartBody.contentType(boundary: boundary)
      request.body = MultipartBody.body(
        part: ManagementAPIAssumption.filePart.value, fileName: "schema.ckdb", content: Array(file.utf8),
        boundary: boundary)
    } else if kind.method == "POST" {
      request.body = []
    }
    return request
  }

  /// Without the token, which a service or something in front of it may quote.
  private func error(in response: HTTPResponse) -> ServerError? {
    guard let json = try? JSONValue(parsing: response.body),
      var error = (try? ManagementErrorBody(json: json))?.error ?? ServerError(errorDictionary: json)
    else { return nil }
    error.uuid = error.uuid ?? response.requestUUID
    error.reason = token.redacted(in: error.reason)
    error.isFromEmulator = response.isFromEmulator
    return error
  }
}

/// The schema operations that need a management token, through the API or Apple's tool.
package protocol RemoteSchemaManager: SchemaManager {
  func teams() async throws -> [TeamsReply.Team]
}

/// The interval and the number of attempts for comparing an export with the imported schema.
package struct SchemaImportPolling: Sendable {
  package var interval: Duration
  package var polls: Int

  package init(interval: Duration = .seconds(2), polls: Int = 15) {
    self.interval = interval
    self.polls = polls
  }

  /// Waits until an export has the imported schema. The service replies before it has applied a schema, and has no
  /// call for its progress (Documentation/reference/schema-language.md#management-operations).
  ///
  /// Throws ``UnreadSchemaImport`` if an export fails, and ``UnseenSchemaImport`` after the last attempt.
  func waitUntil(
    _ container: some SchemaManager, says text: String, time: any ClientClocks, waits: WaitReporter
  ) async throws {
    let wanted = try? Schema(parsing: text)
    // The exports take time, too: the last one has that of one interval.
    let ended = waits.begin(Wait("waiting for the imported schema", limit: interval * polls))
    defer { ended() }
    let last = time.uptime + interval * (polls - 1)
    for poll in 1...polls {
      let exported: String
      do { exported = try await container.exportSchema() } catch { throw UnreadSchemaImport(error) }
      if exported == text || Self.says(exported, what: wanted) { return }
      guard poll < polls, interval == .zero || time.uptime < last else { break }
      try await time.sleep(for: min(interval, last - time.uptime))
    }
    throw UnseenSchemaImport(interval)
  }

  /// Whether an export has the imported schema. An export also lists system fields and the types that the service
  /// manages.
  private static func says(_ exported: String, what wanted: Schema?) -> Bool {
    guard let wanted, let current = try? Schema(parsing: exported) else { return false }
    let completed = wanted.completedForImport(replacing: current).schema
    return SchemaDiff.changes(from: current, to: completed).isEmpty
  }
}

extension ContainerFailure {
  /// Apple's service can only be deployed in the Console (Documentation/reference/schema-language.md#imports).
  static let consoleDeploys = ContainerFailure(
    .storage, "CloudKit's schema is deployed in the CloudKit Console, not by this tool",
    hint: "'schema plan FILE --environment production' prints the steps.")
}
