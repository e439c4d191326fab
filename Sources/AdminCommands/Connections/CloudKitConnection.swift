internal import CloudKitClient
internal import CloudKitModel
internal import Cryptography
internal import HTTPTransport
internal import Logging
internal import WebServicesWire

extension Session {
  /// A container behind CloudKit Web Services, with the credentials the settings hold.
  func cloudKit(_ id: String, _ environment: Environment, writing: Bool) throws -> ContainerHandle {
    let client = try cloudKitClient(id, environment)
    return ContainerHandle(
      container: writing ? client : ReadOnlyContainer(client),
      schema: try managementContainer(id, environment))
  }

  /// The client of the CloudKit container the command is about, for what only CloudKit has: assets.
  func cloudKitClient() throws -> CloudKitClient {
    guard case .cloudKit(let id) = try spec else {
      throw CommandFailure.usage("this works on a CloudKit container only, not on \(try spec)")
    }
    return try cloudKitClient(id, try environment)
  }

  private func cloudKitClient(_ id: String, _ environment: Environment) throws -> CloudKitClient {
    CloudKitClient(try clientSettings(id, environment), surroundings: try clientSurroundings())
  }

  func clientSettings(_ id: String, _ environment: Environment) throws -> ClientSettings {
    ClientSettings(
      container: id, environment: environment, authentication: try authentication(),
      baseURL: try settings[.baseURL] ?? ClientSettings.appleBaseURL, pipeline: try pipeline())
  }

  func clientSurroundings() throws -> ClientSurroundings {
    ClientSurroundings(transport: try CurlTransport(), logger: logger("cloudkit"))
  }

  /// The server-to-server key, ready to sign.
  func signer() throws -> RequestSigner {
    guard let keyID = try settings[.cloudKitKeyID] else {
      throw CommandFailure(
        "there is no key id", code: "credential",
        hint: "Set CLOUDKIT_KEY_ID, which the CloudKit Console shows beside the key.", status: .denied)
    }
    return RequestSigner(keyID: keyID, key: try privateKey())
  }

  func privateKey() throws -> P256PrivateKey {
    do {
      return try P256PrivateKey(pem: try keyText())
    } catch let error as KeyError {
      throw CommandFailure(error.description, code: "credential", hint: error.hint, status: .denied)
    }
  }

  private func keyText() throws -> [UInt8] {
    if let text = try settings[.cloudKitKey] { return Array(text.replacing("\\n", with: "\n").utf8) }
    guard let path = try settings[.cloudKitKeyPath] else {
      throw CommandFailure(
        "there is no private key", code: "credential",
        hint: "Set CLOUDKIT_PRIVATE_KEY_PATH; 'auth keygen' makes a key.", status: .denied)
    }
    if path != "-", let warning = KeyFilePermissions.warning(path: path) { note("warning: \(warning)") }
    return try InputFile.read(path)
  }

  private func authentication() throws -> ClientSettings.Authentication {
    guard let token = try settings[.cloudKitAPIToken], try settings[.cloudKitKeyID] == nil else {
      return .serverKey(try signer())
    }
    return .apiToken(Secret(token), webAuthToken: try settings[.cloudKitWebAuthToken].map(Secret.init))
  }

  /// The rate that a client of these settings keeps to; `nil` where nothing limits it.
  var requestsPerSecond: Double? {
    get throws {
      let address = try settings[.baseURL] ?? ClientSettings.appleBaseURL
      return try pipeline().bounded(for: address).requestsPerSecond
    }
  }

  private func pipeline() throws -> PipelineSettings {
    guard let text = try settings[.rateLimit] else { return PipelineSettings() }
    guard let rate = Double(text), (0.001...1_000_000).contains(rate) else {
      throw CommandFailure.usage("the rate limit '\(text)' is not 0.001 to 1000000 requests a second")
    }
    return PipelineSettings(requestsPerSecond: rate)
  }

  /// The schema side; `nil` without a token.
  func managementContainer(_ id: String, _ environment: Environment) throws -> (any ManagementContainer)? {
    if try schemaRoute == .cktool { return try appleTool(id, environment) }
    guard let token = try managementToken else { return nil }
    let target = ManagementTarget(team: try team, container: id, environment: environment)
    return try managementClient(target, token)
  }

  /// Reaches only what belongs to the token itself.
  func teamsContainer() throws -> any ManagementContainer {
    let nowhere = ManagementTarget(team: "", container: "", environment: .development)
    if try schemaRoute == .cktool { return try appleTool(nowhere) }
    guard let token = try managementToken else { throw CommandFailure.noManagementToken }
    return try managementClient(nowhere, token)
  }

  private var schemaRoute: SchemaRoute {
    get throws { try settings[.schemaRoute].map { try Choice.parse($0) } ?? .web }
  }

  private var team: String {
    get throws {
      if let team = try settings[.cloudKitTeam] { return team }
      throw CommandFailure(
        "there is a management token but no team id", code: "credential",
        hint: "Set CLOUDKIT_TEAM_ID, the ten characters of your developer team.", status: .denied)
    }
  }

  private var managementToken: String? {
    get throws { try settings[.managementToken] ?? TokenStore(world).load(.management) }
  }

  private func appleTool(_ id: String, _ environment: Environment) throws -> AppleTool {
    try appleTool(ManagementTarget(team: try team, container: id, environment: environment))
  }

  private func appleTool(_ target: ManagementTarget) throws -> AppleTool {
    let process = try AppleToolProcess(world.environment)
    return AppleTool(target, token: try managementToken.map(Secret.init), run: process.run)
  }

  private func managementClient(_ target: ManagementTarget, _ token: String) throws -> ManagementClient {
    var settings = ManagementClient.Settings(target: target, token: Secret(token))
    if let host = try self.settings[.managementBaseURL] { settings.conventions[.host] = host }
    return ManagementClient(settings, surroundings: try clientSurroundings())
  }
}
