internal import ArgumentParser
internal import CloudKitEmulator
internal import CloudKitModel
internal import Cryptography
internal import FoundationEssentials
internal import LocalContainer
internal import SchemaLanguage

/// What `emulator serve` and `emulator exec` have in common.
struct EmulatorArguments: ParsableArguments, Sendable {
  @Option(help: ArgumentHelp("The container's schema.", valueName: "file")) var schema: String
  @Option(help: ArgumentHelp("Keep the records in this file; in memory otherwise.", valueName: "file"))
  var containerFile: String?
  @Option(help: "The port to listen on; a free one otherwise.") var port = 0
  @Option(help: ArgumentHelp("Write the address and key here once it listens, as JSON.", valueName: "file"))
  var readyFile: String?
  @Option(help: ArgumentHelp("The id of a key that may sign.", valueName: "id")) var keyID: String?
  @Option(help: ArgumentHelp("That key's public half; a throw-away key is made otherwise.", valueName: "pem"))
  var publicKey: String?
  @Option(help: ArgumentHelp("Milliseconds before each answer.", valueName: "ms")) var latency = 0
  @Option(help: ArgumentHelp("Requests a second; more are refused with 429.", valueName: "rps"))
  var rateLimit: Double?
  @Option(help: ArgumentHelp("Milliseconds until a query sees what was written.", valueName: "ms"))
  var indexDelay = 0
  @Option(help: ArgumentHelp("Records in a page, at most 200.", valueName: "n")) var pageSize: Int?
  @Option(
    help: ArgumentHelp(
      "Trouble on purpose, as status,status=503,every=3 or reset-after,endpoint=records/modify. May be repeated.",
      valueName: "rule"))
  var fault: [String] = []
  @Option(
    help: ArgumentHelp("Stand still at this time, for runs that write the same stamps.", valueName: "iso8601")
  )
  var clock: String?
  @Option(
    help: ArgumentHelp(
      "The custom roles the key holds, separated by commas, or '' for none; all otherwise.",
      valueName: "roles"))
  var identityRoles: String?
  @Flag(help: "Serve a container id other than iCloud.demo.…, which may be a real one's.")
  var allowRealContainer = false

  func validate() throws {
    if (keyID == nil) != (publicKey == nil) {
      throw ValidationError("--key-id and --public-key belong together")
    }
    if let pageSize, !(1...200).contains(pageSize) { throw ValidationError("--page-size takes 1 to 200") }
    if let clock, Timestamp(text: clock) == nil {
      throw ValidationError("--clock takes a time such as 2026-01-01T00:00:00Z")
    }
    guard latency >= 0, indexDelay >= 0 else { throw ValidationError("a delay takes milliseconds from 0 up") }
  }

  func configuration(_ session: Session, key: EmulatorKey) throws -> EmulatorConfiguration {
    var configuration = EmulatorConfiguration(container: try containerID(session))
    configuration.environments = [try session.environment]
    configuration.keys = [key.id: key.publicKey]
    if let identityRoles {
      configuration.keyIdentity = .serverKey(roles: Set(identityRoles.split(separator: ",").map(String.init)))
    }
    try admitTokens(session, to: &configuration)
    configuration.latency = .milliseconds(latency)
    configuration.rateLimit = rateLimit
    configuration.faults = try fault.map(Self.rule)
    if let clock, let time = Timestamp(text: clock) {
      configuration.clock = .fixed(time)
      configuration.seed = UInt64(bitPattern: time.milliseconds)
    }
    return configuration
  }

  /// The API token and the user's token of the environment, where a secret belongs, are the ones it knows.
  private func admitTokens(_ session: Session, to configuration: inout EmulatorConfiguration) throws {
    if let token = try session.settings[.cloudKitAPIToken] { configuration.apiTokens = [Secret(token)] }
    guard let token = try session.settings[.cloudKitWebAuthToken] else { return }
    let name = "_" + SHA256.hex("user of \(token)").prefix(32)
    configuration.users = [Secret(token): Identity(userRecordName: name)]
  }

  private static func rule(_ text: String) throws -> FaultRule {
    do throws(FaultRuleError) {
      return try FaultRule(parsing: text)
    } catch {
      throw CommandFailure.usage(error.description)
    }
  }

  /// The store behind the emulator, with the schema in it.
  func store(_ session: Session, _ configuration: EmulatorConfiguration) async throws -> LocalStore {
    var behaviour = ServerBehaviour()
    behaviour.indexDelay = Int64(indexDelay)
    let settings = configuration.storeSettings(behaviour: behaviour, pageSize: pageSize)
    let store = try LocalStore(containerFile.map(LocalStore.Location.file) ?? .memory, settings: settings)
    try await store.initialise(try ParsedSchema.valid(in: schema).schema, try session.environment)
    return store
  }

  private func containerID(_ session: Session) throws -> String {
    if case .cloudKit(let id) = try session.spec { return id }
    return "iCloud.demo.celestra"
  }
}

/// The key that signs requests to one emulator.
struct EmulatorKey {
  let id: String
  let publicKey: P256PublicKey
  /// Where the private half is; absent when somebody else keeps it.
  var privateKeyPath: String?

  /// The key the user names, or a throw-away one written to `folder`.
  init(_ arguments: EmulatorArguments, folder: () throws -> String) throws {
    if let id = arguments.keyID, let path = arguments.publicKey {
      self.id = id
      do {
        publicKey = try P256PublicKey(pem: InputFile.read(path))
      } catch let error as KeyError {
        throw CommandFailure("\(path): \(error)", code: "credential", hint: error.hint)
      }
      return
    }
    let key = try P256PrivateKey.generate()
    let path = "\(try folder())/emulator-key-\(UUID().uuidString.prefix(8)).pem"
    try SecretFile.create(path, key.secretPEM())
    publicKey = key.publicKey
    id = SHA256.hex(try key.publicKey.pem())
    privateKeyPath = path
  }
}
