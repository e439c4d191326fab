internal import ArgumentParser
internal import CloudKitEmulator
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import LocalContainer
internal import SchemaLanguage

struct EmulatorArguments: ParsableArguments, Sendable {
  @Option(
    "The schema of a new container; one that exists is served with the schema it has.", value: "file",
    completion: .file())
  var schema: String?
  @Option(
    "Serve the local container in this file, which is made if it does not exist. Default: a new one in memory.",
    value: "file", completion: .file())
  var containerFile: String?
  @Option(help: "The port to listen on; a free one otherwise.") var port = "0"
  @Option("Write the address and key here once it listens, as JSON.", value: "file", completion: .file())
  var readyFile: String?
  @Option(
    "Write the CLOUDKIT_ variables of a client here once it listens, for a shell or as .env.", value: "file",
    completion: .file())
  var envFile: String?
  @Option(
    "Accept the key in this PEM file, which is made if it does not exist: the same key after each start.",
    value: "file", completion: .file())
  var keyFile: String?
  @Option(
    "Accept the management token in this file, which is made if it does not exist: the same token after each start.",
    value: "file", completion: .file())
  var tokenFile: String?
  @OptionGroup(title: "Keys and roles") var keys: EmulatorKeyArguments
  @OptionGroup(title: "What the service does") var service: EmulatorServiceArguments
  @OptionGroup(title: "Other hosts") var hosts: EmulatorHostArguments

  func validate() throws {
    guard schema != nil || containerFile != nil else {
      throw ValidationError("give --schema for a new container, or --container-file for one that exists")
    }
    guard keyFile == nil || keys.keyID.isEmpty else {
      throw ValidationError("give either --key-file or --key-id and --public-key")
    }
    try InputFile.requireNamed(keyFile, "--key-file", because: "it is kept for the next start")
    try InputFile.requireNamed(tokenFile, "--token-file", because: "it is kept for the next start")
    try InputFile.requireNamed(envFile, "--env-file", because: "it holds secrets and is removed at the end")
    try InputFile.requireNamed(containerFile, "--container-file", because: "it is a database")
    try InputFile.requireNamed(
      readyFile, "--ready-file", because: "it appears whole, and the key is put beside it")
    var scratch = EmulatorConfiguration(container: "")
    do { try apply(to: &scratch) } catch { throw ValidationError("\(error)") }
    guard service.clock == nil || scratch.behavior.indexDelay == 0 else {
      throw ValidationError("an index delay never ends while --clock holds the time: leave one of them out")
    }
  }

  private func apply(to configuration: inout EmulatorConfiguration) throws(EmulatorOptionError) {
    let values: [(EmulatorOption, [String])] = [
      (.port, [port]), (.latency, [service.latency]), (.rateLimit, [service.rateLimit].compactMap(\.self)),
      (.indexDelay, [service.indexDelay]), (.pageSize, [service.pageSize].compactMap(\.self)),
      (.fault, service.fault),
      (.behavior, service.behavior), (.clock, [service.clock].compactMap(\.self)),
      (.identityRoles, [keys.identityRoles].compactMap(\.self)), (.allowedHost, hosts.allowedHost),
      (.allowedOrigin, hosts.allowedOrigin),
    ]
    for (option, texts) in values { for text in texts { try configuration.set(option, text) } }
  }

  func configuration(
    _ context: CommandContext, container: String, key: EmulatorSigningKey, acceptsConfiguredTokens: Bool
  ) throws -> EmulatorConfiguration {
    var configuration = EmulatorConfiguration(container: container)
    configuration.environments = [try context.environment]
    configuration.keys = key.publicKeys
    configuration.localKeyID = keys.keyID.isEmpty ? key.id : nil
    // Settings name the project's real container; an option is meant.
    configuration.allowsRealContainer = context.common.container != nil
    configuration.team = try context.settings[.cloudKitTeam]
    if acceptsConfiguredTokens {
      if let api = try context.token(.cloudKitAPIToken) { configuration.apiTokens = [Secret(api.value)] }
      if let user = try context.token(.cloudKitWebAuthToken) { configuration.admitUser(Secret(user.value)) }
      if let token = try context.token(.managementToken) {
        configuration.managementToken = Secret(token.value)
      }
    }
    if let tokenFile { configuration.managementToken = try ManagementTokenFile.token(in: tokenFile) }
    if configuration.apiTokens.isEmpty {
      configuration.apiTokens = [configuration.madeAPIToken]
    }
    try apply(to: &configuration)
    return configuration
  }

  /// Opens what is served: the container of `--container-file`, with the schema it has, or a new one with `--schema`.
  ///
  /// Throws a usage error for a new container without a schema, and for a role that the schema does not create.
  func openStore(_ configuration: EmulatorConfiguration, _ context: CommandContext) async throws -> LocalStore
  {
    let file = containerFile.map(LocalStore.Location.file) ?? .memory
    if let containerFile, try !LocalStore.isMissing(containerFile) {
      let store = try await EmulatorServer.openStore(configuration, schema: nil, in: file)
      try store.checkWritable()
      let present = try await store.schema(of: .development)
      if !present.isNew {
        if let schema {
          let declared = try await context.validSchema(in: schema).schema
          if declared.withUsers.normalized != present.normalized {
            context.note(
              "note: \(containerFile) exists and keeps its schema; --schema is for a new container")
          } else if try await store.schema(of: context.environment).isNew {
            try await store.initialize(declared, context.environment)
          }
        }
        try requireRoles(of: try await store.schema(of: context.environment), in: containerFile)
        return store
      }
    }
    guard let schema else {
      throw CommandFailure.usage(
        "\(containerFile ?? "memory:") has no schema yet", hint: "Give --schema FILE.")
    }
    let declared = try await context.validSchema(in: schema).schema
    try requireRoles(of: declared, in: InputFile.displayName(schema))
    return try await EmulatorServer.openStore(configuration, schema: declared, in: file)
  }

  /// Throws a usage error for a role of `--identity-roles` that the schema does not create.
  private func requireRoles(of schema: Schema, in name: String) throws {
    let known = schema.roles.map(\.name)
    for role in EmulatorOption.roles(keys.identityRoles ?? "").sorted() where !known.contains(role) {
      throw CommandFailure.usage(
        "--identity-roles names '\(role)', a role that \(name) does not create",
        hint: SpellingSuggestion.question(role, among: known))
    }
  }

  /// - Parameter container: the container id that clients use.
  func envelope(_ title: String, _ container: String, in context: CommandContext) throws -> JSONEnvelope {
    JSONEnvelope(
      command: title, container: ContainerLocation.cloudKit(id: container).description,
      environment: try context.environment.rawValue)
  }

  static let demoContainer = "iCloud.demo.celestra"
  /// The start of ids that no real app has.
  static let demoPrefix = "iCloud.demo."

  /// The id that clients use: the configured container's, for a local one that of an app to try, else `demoContainer`.
  func containerID(_ context: CommandContext) throws -> String {
    if let id = try context.location.cloudKitID { return id }
    let id = try context.settings.lookup(.cloudKitContainer)?.value
    return id.flatMap { $0.hasPrefix(Self.demoPrefix) ? $0 : nil } ?? Self.demoContainer
  }
}

extension EmulatorConfiguration {
  /// The same after each start, if the management token is.
  var madeAPIToken: Secret { Secret(SHA256.hex("api|\(managementToken.exposed)")) }
}

struct EmulatorKeyArguments: ParsableArguments, Sendable {
  @Option("The id of a key that may sign. May be repeated, with --public-key.", value: "id")
  var keyID: [String] = []
  @Option(
    "The PEM file with the public half of the key of --key-id, as 'auth keygen' prints it. A throw-away key is made "
      + "without one.", value: "file", completion: .file())
  var publicKey: [String] = []
  @Option(
    "The custom roles each key holds, separated by commas, or '' for none; all otherwise.", value: "roles")
  var identityRoles: String?

  func validate() throws {
    guard keyID.count == publicKey.count else {
      throw ValidationError(
        "give one --public-key for each --key-id, in the same order: there are \(keyID.count) ids and "
          + "\(publicKey.count) files")
    }
    guard Set(keyID).count == keyID.count else {
      throw ValidationError("each --key-id may be given once: a key has an id of its own")
    }
    // The text is not repeated: it could be that of a private key.
    guard !publicKey.contains(where: { $0.contains("-----BEGIN") }) else {
      throw ValidationError("--public-key takes the path of a PEM file, not the key's text")
    }
  }
}

struct EmulatorServiceArguments: ParsableArguments, Sendable {
  @Option("Milliseconds before each answer, at most 600000.", value: "ms") var latency = "0"
  @Option("Requests a second; more are refused with 429.", value: "rps") var rateLimit: String?
  @Option("Milliseconds until a query sees what was written.", value: "ms") var indexDelay = "0"
  @Option("Records in a page, at most 200.", value: "n") var pageSize: String?
  @Option(
    "Inject a fault, as status,status=503,every=3 or reset-after,endpoint=records/modify. May be repeated.",
    value: "rule", completion: .list(Fault.all.map(\.word)))
  var fault: [String] = []
  @Option(
    "Choose the behavior where Apple's is unknown, as updateWithoutTag=accept. May be repeated.",
    value: "name=value", completion: .list(EmulatorOption.behaviors.map { "\($0.name)=" }))
  var behavior: [String] = []
  @Option("Freeze the clock at this time, for reproducible timestamps.", value: "iso8601") var clock: String?
}

struct EmulatorHostArguments: ParsableArguments, Sendable {
  @Option("Also answer for this host name, as in a container network. May be repeated.", value: "name")
  var allowedHost: [String] = []
  @Option("Also answer pages of this origin, as https://app.example. May be repeated.", value: "origin")
  var allowedOrigin: [String] = []
}
