internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import HTTPTransport
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import WebServicesWire

extension CommandContext {
  func cloudKit(
    _ id: String, _ environment: Environment, writing: Bool, ownRecords: OwnRecords
  ) async throws -> ContainerHandle {
    var settings = try clientSettings(id, environment)
    settings.identity = try await serviceIdentity(of: id)
    let client = CloudKitClient(settings, dependencies: try clientDependencies())
    follow { client.clock.lastKnown.map { $0.earliest.date...$0.latest.date } }
    let plain = ContainerHandle(
      container: ReadOnlyContainer(client), schema: try managementContainer(id, environment))
    let container = ReadProgressContainer(
      whole(client, plain, ownRecords), ignoring: [LeaseRecord.recordType], onRead: readingProgress())
    return ContainerHandle(
      container: writing ? container : ReadOnlyContainer(container), schema: plain.schema)
  }

  private func whole(
    _ client: CloudKitClient, _ plain: ContainerHandle, _ ownRecords: OwnRecords
  ) -> any Container {
    let rights = ReadingRights(client, usual: { try BundledSchema.parsed() }) {
      try await knownSchema(plain)
    }
    switch ownRecords {
    case .refused: return WholeReadingContainer(client, rights)
    case .noted: return WholeReadingContainer(client, rights) { note("note: \(CommandFailure($0).message)") }
    case .shown: return client
    }
  }

  /// The ``ContainerIdentity/id`` of a container at the configured address.
  ///
  /// Only an emulator of this machine is asked. Elsewhere, and without an answer, it is the address, so that no run is taken
  /// for one of another container.
  private func serviceIdentity(of id: String) async throws -> String? {
    let address = try address(.baseURL)
    guard !address.isApple else { return nil }
    let place = "\(address.url.origin) \(id)"
    guard address.url.isLoopback else { return place }
    let request = HTTPRequest(
      url: address.url.origin + EmulatorServerName.containerPath,
      limits: HTTPLimits(totalTimeout: .seconds(5), maxBodyBytes: 1 << 10))
    do {
      let reply = try await clientDependencies().transport.send(request)
      guard reply.headers["Server"] == EmulatorServerName.text else { return place }
      return (try? JSONValue(parsing: reply.body))?[EmulatorServerName.containerKey]?.string ?? place
    } catch let failure as HTTPFailure {
      if failure.kind == .cancelled { throw CancellationError() }
      noteOnce("note: which container is at \(address.url.origin) is not known: \(failure)")
      return place
    }
  }

  func identity() async throws -> ContainerIdentity {
    if try isContainerMissing { return try target }
    guard let id = try location.cloudKitID else { return try await openContainer().container.identity }
    var target = try target
    target.id = try await serviceIdentity(of: id)
    return target
  }

  func clientSettings(_ id: String, _ environment: Environment) throws -> ClientSettings {
    let (authentication, credentials) = try authentication()
    return ClientSettings(
      container: id, environment: environment, authentication: authentication,
      baseURL: try address(.baseURL).text(for: credentials), pipeline: try pipeline())
  }

  func clientDependencies() throws -> ClientDependencies {
    let proxies = ProxySettings(process.environment)
    var dependencies = ClientDependencies(
      transport: try CurlTransport(CurlTransport.Configuration(proxies: proxies)), logger: logger("cloudkit"))
    dependencies.waits = waits
    return dependencies
  }

  /// The rate limit of the client in requests a second; `nil` if there is no limit.
  var requestsPerSecond: Double? {
    get throws {
      try pipeline().bounded(for: try address(.baseURL).url.text).requestsPerSecond
    }
  }

  private func pipeline() throws -> RequestPipelineSettings {
    guard let setting = try settings.lookup(.rateLimit) else { return RequestPipelineSettings() }
    let rates = RequestPipelineSettings.permittedRates(for: try address(.baseURL).url.text)
    guard let rate = Double(setting.value), rates.contains(rate) else {
      throw setting.refused(mustBe: "0.001 to \(Int(rates.upperBound)) requests a second")
    }
    return RequestPipelineSettings(requestsPerSecond: rate)
  }

  /// The configured server-to-server key. Throws ``CommandFailure`` if it is missing or invalid. An emulator may have given
  /// the key an id of another form.
  func signer() throws -> RequestSigner {
    guard let keyID = try settings.lookup(.cloudKitKeyID) else {
      throw CommandFailure(
        "no key id is configured", code: "credential",
        hint: "Set CLOUDKIT_KEY_ID, which the CloudKit Console shows beside the key.", status: .denied)
    }
    let key = try privateKey()
    if let problem = Self.problem(ofKeyID: keyID) {
      if try address(.baseURL).isApple { throw problem }
      warn(problem.message)
    }
    return RequestSigner(keyID: keyID.value, key: key)
  }

  /// Why a configured id cannot be that of a server-to-server key (Documentation/reference/web-services.md#authentication);
  /// `nil` if it can. The value is not repeated: it may be a key that was pasted into the wrong variable.
  private static func problem(ofKeyID setting: Setting) -> CommandFailure? {
    let (id, length) = (setting.value, 64)
    if id.utf8.count == length, id.utf8.allSatisfy(\.isHexDigit) { return nil }
    let seen =
      id.utf8.count == length
      ? "it has another character" : "it has \(counted(id.count, "character"))"
    return CommandFailure(
      "\(setting.label) is not the id of a key: an id has \(length) hexadecimal digits, and \(seen)",
      code: "credential", hint: "Copy the id that the CloudKit Console shows beside the key.", status: .denied
    )
  }

  func privateKey() throws -> P256PrivateKey {
    do {
      return try P256PrivateKey(pem: try keyText())
    } catch let error as KeyError {
      throw CommandFailure(error.description, code: "credential", hint: error.hint, status: .denied)
    }
  }

  private func keyText() throws -> [UInt8] {
    guard let setting = try settings.lookup(.cloudKitKey, .cloudKitKeyPath) else {
      throw CommandFailure(
        "no private key is configured", code: "credential",
        hint: "Set CLOUDKIT_PRIVATE_KEY_PATH; 'auth keygen' makes a key.", status: .denied)
    }
    guard setting.key == .cloudKitKeyPath else {
      return Array(setting.value.replacing("\\n", with: "\n").utf8)
    }
    let path = setting.value
    guard setting.shown == path else {
      throw setting.refused(mustBe: "a file's path", hint: "A key's text belongs in CLOUDKIT_PRIVATE_KEY.")
    }
    if path != "-", let warning = SecretFileCheck.warning(path: path, content: "key") {
      warn(warning)
    }
    do { return try InputFile.read(path, upTo: Self.keySizeLimit) } catch var failure as CommandFailure {
      failure.hint = failure.hint ?? "It is the private key that \(setting.label) names."
      failure.status = .denied
      throw failure
    }
  }

  /// Far more than any key has, in bytes.
  private static let keySizeLimit = 1 << 16

  /// The key or the API token, whichever is configured at the origin with higher precedence.
  func authentication() throws -> (ClientSettings.Authentication, [Credential]) {
    guard try settings.lookup(.cloudKitKeyID, .cloudKitAPIToken)?.key == .cloudKitAPIToken,
      let token = try token(.cloudKitAPIToken)
    else { return (.serverKey(try signer()), [.signature]) }
    let user = try self.token(.cloudKitWebAuthToken)
    return (
      .apiToken(Secret(token.value), webAuthToken: user.map { Secret($0.value) }),
      [token, user].compactMap(\.self).map(Credential.token)
    )
  }

  /// The management token from the settings, or the saved one; `nil` if there is neither, or if an empty variable hides it.
  var managementCredential: Credential? {
    get throws {
      if let token = try token(.managementToken) { return .token(token) }
      let store = TokenStore(process)
      guard try !hidesSavedToken(store), let saved = try store.load(.management) else { return nil }
      if let warning = SecretFileCheck.warning(path: try store.path(.management), content: "token") {
        warn(warning)
      }
      return .saved(saved)
    }
  }

  /// Whether an empty variable hides the saved management token, with a note.
  func hidesSavedToken(_ store: TokenStore) throws -> Bool {
    guard try store.contains(.management),
      let note = settings.note(hiding: .managementToken, in: try store.path(.management))
    else { return false }
    noteOnce("\(note)")
    return true
  }
}

extension CommandContext {
  /// The client of the management API; `nil` without a management token.
  func managementContainer(_ id: String, _ environment: Environment) throws -> (any RemoteSchemaManager)? {
    try schemas(of: ManagementTarget(team: try team, container: id, environment: environment))
  }

  /// A management client without a team, which can only list the token's teams.
  func teamsContainer() throws -> any RemoteSchemaManager {
    let client = try schemas(of: ManagementTarget(team: "", container: "", environment: .development))
    guard let client else { throw CommandFailure.noManagementToken }
    return client
  }

  /// The client of the configured route; `nil` without a management token, which Apple's tool may have itself.
  ///
  /// - Parameter target: is not asked for a team without a token that needs one.
  private func schemas(
    of target: @autoclosure () throws -> ManagementTarget
  ) throws -> (any RemoteSchemaManager)? {
    if try schemaRoute == .cktool {
      let place = try target()
      let run = try Self.appleTool(process.environment)
      let credential = try managementCredential
      // Apple's tool only uses Apple's service.
      let apple = try ServiceAddress(nil, of: .managementBaseURL, plainHTTPHosts: [])
      _ = try apple.text(for: [credential].compactMap(\.self))
      return AppleCKTool(place, token: credential?.secret, waits: waits, run: run)
    }
    guard let credential = try managementCredential, let token = credential.secret else { return nil }
    let place = try target()
    let host = try address(.managementBaseURL).text(for: [credential])
    return ManagementClient(place, token: token, host: host, dependencies: try clientDependencies())
  }

  private var schemaRoute: SchemaAccessMethod {
    get throws { try settings.value(.schemaRoute, SchemaAccessMethod.init(rawValue:)) ?? .web }
  }

  private var team: String {
    get throws {
      if let setting = try settings.lookup(.cloudKitTeam) {
        // Apple's service answers a wrong one with a refusal that does not say why.
        guard TeamID.isOne(setting.value) else {
          throw setting.refused(mustBe: "the id of a developer team: \(TeamID.form)")
        }
        return setting.value
      }
      throw CommandFailure(
        "a management token is configured, but no team id", code: "credential",
        hint: "Set CLOUDKIT_TEAM_ID, the ten characters of your developer team.", status: .denied)
    }
  }

  /// What runs Apple's cktool, without standard input, so that it cannot prompt. Throws ``CommandFailure`` if `xcrun` is
  /// not installed.
  private static func appleTool(_ environment: [String: String]) throws -> AppleCKTool.Run {
    let folders = (environment["PATH"] ?? "/usr/bin").split(separator: ":")
    let paths = folders.map { "\($0)/xcrun" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw CommandFailure(
        "Apple's cktool is not installed: xcrun is not on the PATH", code: "no-cktool",
        hint:
          "It comes with Xcode, on macOS only. Elsewhere leave out --schema-route cktool and give a management token."
      )
    }
    return { arguments, variables in
      let child = ChildProcess(
        program: path, arguments: arguments, environment: environment.merging(variables) { $1 },
        streams: .captured)
      let outcome = try await child.run()
      try Task.checkCancellation()
      return (outcome.status, outcome.output, String(decoding: outcome.errors, as: UTF8.self))
    }
  }
}

enum TeamID {
  static let form = "ten letters and digits, such as ABCDE12345"

  static func isOne(_ text: String) -> Bool {
    text.utf8.count == 10 && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
  }
}
