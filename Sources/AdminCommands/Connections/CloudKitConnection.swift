internal import CloudKitClient
internal import CloudKitModel
internal import Cryptography
internal import HTTPTransport
internal import Logging
internal import WebServicesWire

extension Session {
  /// A container behind CloudKit Web Services, with the credentials the settings hold.
  func cloudKit(_ id: String, _ environment: Environment, writing: Bool) throws -> ContainerHandle {
    let surroundings = try clientSurroundings()
    let client = CloudKitClient(try clientSettings(id, environment), surroundings: surroundings)
    return ContainerHandle(
      container: writing ? client : ReadOnlyContainer(client),
      schema: try managementClient(id, environment))
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
    if path != "-", let warning = KeyFilePermissions.warning(path: path) { try note("warning: \(warning)") }
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
    guard let rate = Double(text), rate > 0 else {
      throw CommandFailure.usage("the rate limit '\(text)' is not a number of requests a second")
    }
    return PipelineSettings(requestsPerSecond: rate)
  }

  /// The schema side; `nil` without a token.
  func managementClient(_ id: String, _ environment: Environment) throws -> (any SchemaContainer)? {
    guard let token = try managementToken else { return nil }
    guard let team = try settings[.cloudKitTeam] else {
      throw CommandFailure(
        "there is a management token but no team id", code: "credential",
        hint: "Set CLOUDKIT_TEAM_ID, the ten characters of your developer team.", status: .denied)
    }
    return try managementClient(
      ManagementTarget(team: team, container: id, environment: environment), token)
  }

  /// Reaches only what belongs to the token itself.
  func teamsClient() throws -> ManagementClient {
    guard let token = try managementToken else { throw CommandFailure.noManagementToken }
    let nowhere = ManagementTarget(team: "", container: "", environment: .development)
    return try managementClient(nowhere, token)
  }

  private var managementToken: String? {
    get throws { try settings[.managementToken] ?? TokenStore(world).load(.management) }
  }

  private func managementClient(_ target: ManagementTarget, _ token: String) throws -> ManagementClient {
    var settings = ManagementClient.Settings(target: target, token: Secret(token))
    if let host = try self.settings[.managementBaseURL] { settings.conventions[.host] = host }
    return ManagementClient(settings, surroundings: try clientSurroundings())
  }
}
