internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import LocalContainer
internal import WebServicesWire

extension Emulator {
  func management(_ request: EmulatorRequest) async throws -> EmulatorReply {
    guard let call = ManagementCall(method: request.method, path: request.path) else {
      let methods = ManagementCall.methods(of: request.path)
      if !methods.isEmpty { throw HTTPRefusal.methodNotAllowed(methods) }
      throw ServerError(.notFound, "not-found", "no management operation has this method and path")
    }
    try checkToken(request.header(ManagementAPIAssumption.tokenHeader.value))
    let container = LocalContainer(store: store, environment: try environment(of: call))
    var reply = EmulatorReply(status: call.kind.successStatus)
    switch call.kind {
    case .exportSchema:
      reply.headers = [("Content-Type", "text/plain; charset=UTF-8")]
      reply.body = Array(try await container.exportSchema().utf8)
    case .validateSchema:
      let problem = try await container.validateSchema(try schemaFile(in: request))
      reply.headers = Self.jsonHeaders
      reply.body = SchemaValidationReply(errorMessage: problem).json.bytes()
      reply.explanation = problem
    case .importSchema: try await container.importSchema(try schemaFile(in: request))
    case .resetSchema: try await container.resetSchema()
    case .deploySchema: try await container.deploySchema()
    case .teams:
      reply.headers = Self.jsonHeaders
      let team = TeamsReply.Team(id: configuration.team ?? EmulatorConfiguration.anyTeam, name: "Emulator")
      reply.body = TeamsReply([team]).json.bytes()
    }
    return reply
  }

  private func checkToken(_ token: String?) throws(ServerError) {
    guard let token, configuration.managementToken == Secret(token) else {
      throw ServerError(
        .authenticationFailed, "authorization-failed",
        token == nil ? "the management token's header is missing" : "the management token is wrong")
    }
  }

  /// The environment of a call. Throws the error for a wrong token if the team or container is wrong
  /// (Documentation/reference/schema-language.md#management-operations).
  private func environment(of call: ManagementCall) throws(ServerError) -> Environment {
    if let container = call.container, container != configuration.container {
      throw ServerError(
        .accessDenied, "authorization-failed", "this emulator serves \(configuration.container)")
    }
    if let team = call.team, let wanted = configuration.team, team != wanted {
      throw ServerError(
        .accessDenied, "authorization-failed", "the container belongs to the team \(wanted)")
    }
    guard let name = call.environment else { return .development }
    guard let environment = Environment(rawValue: name.lowercased()) else {
      throw ServerError(.badRequest, "invalid environment", "'\(name)' is not an environment")
    }
    return environment
  }

  private func schemaFile(in request: EmulatorRequest) throws(WireFormatError) -> String {
    let bytes = try MultipartBody.content(
      ofPart: ManagementAPIAssumption.filePart.value, in: request.body,
      contentType: request.header("Content-Type") ?? "")
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw WireFormatError("the schema is not valid UTF-8")
    }
    return text
  }
}
