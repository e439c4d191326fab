internal import CloudKitEmulator
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import LocalContainer
internal import WebConsole

struct RunningEmulator {
  let server: EmulatorServer
  let key: EmulatorSigningKey
  let configuration: EmulatorConfiguration
  let environment: Environment
  /// The console beside it, where it was asked for.
  let console: ConsoleServer?
  private var files: ClientFiles
  /// The tokens of the settings that no emulator made. No file gets a copy: they may be real, and clients know them.
  private let knownTokens: Set<Secret>
  var hidesManagementToken: Bool { knownTokens.contains(configuration.managementToken) }

  /// - Parameter acceptsConfiguredTokens: whether it accepts the tokens of the settings; otherwise ones that it makes.
  static func start(
    _ arguments: EmulatorArguments, _ context: CommandContext, container: String,
    acceptsConfiguredTokens: Bool,
    hasConsole: Bool = false
  ) async throws -> RunningEmulator {
    var files = ClientFiles(readyFile: arguments.readyFile, envFile: arguments.envFile)
    try await files.prepare()
    let key = try EmulatorSigningKey(arguments)
    do {
      let configuration = try arguments.configuration(
        context, container: container, key: key,
        acceptsConfiguredTokens: acceptsConfiguredTokens)
      let store = try await arguments.openStore(configuration, context)
      let server = try await EmulatorServer(
        configuration, store: store, logger: context.logger("emulator"))
      context.warn(about: store)
      var console: ConsoleServer?
      do {
        if hasConsole {
          console = try await startConsole(beside: server, of: configuration.container, context)
        }
        let keys = acceptsConfiguredTokens ? [SettingKey.managementToken, .cloudKitAPIToken] : []
        // A shell that has read the environment file has its tokens as settings.
        var known = Set(try keys.compactMap { try context.token($0)?.value })
        known.remove(configuration.madeAPIToken.exposed)
        if arguments.tokenFile != nil { known.remove(configuration.managementToken.exposed) }
        var running = RunningEmulator(
          server: server, key: key, configuration: configuration, environment: try context.environment,
          console: console, files: files,
          knownTokens: Set(known.filter { !files.leftValues.contains($0[...]) }.map { Secret($0) }))
        try running.writeFiles()
        return running
      } catch {
        await console?.stop()
        await server.stop()
        throw error
      }
    } catch {
      do { try key.remove() } catch {
        context.warn("cannot remove the emulator's key: \(CommandFailure(error).message)")
      }
      throw error
    }
  }

  private static func startConsole(
    beside server: EmulatorServer, of containerID: String, _ context: CommandContext
  ) async throws -> ConsoleServer {
    let container = LocalContainer(store: server.store, environment: try context.environment)
    let options = try await context.consoleOptions(of: container, containerID: containerID, isReadOnly: false)
    let pages = LocalConsole(store: server.store, monitor: server.monitor, options: options)
    return try await ConsoleServer(pages, port: 0)
  }

  /// Finishes the requests in flight, and removes the clients' files and a throw-away key.
  func stop() async throws {
    await console?.stop()
    await server.stop()
    try files.remove()
    try key.remove()
  }

  /// Says to the job that its container ends with it.
  static let variableOfExec = "CELESTRA_ADMIN_EMULATOR_EXEC"

  /// The environment variables of a job that only uses this emulator. They override all configuration files, so
  /// every setting with a URL or a credential has a value here; an empty variable hides a secret in a file.
  func environment(of job: [String: String]) -> [String: String] {
    var settings: [SettingKey: String] = [
      .container: "cloudkit:\(configuration.container)", .cloudKitContainer: configuration.container,
      .cloudKitEnvironment: environment.rawValue,
      .cloudKitTeam: configuration.team ?? EmulatorConfiguration.anyTeam,
      .baseURL: server.url, .managementBaseURL: server.url, .schemaRoute: SchemaAccessMethod.web.rawValue,
      .httpHosts: "", .pingURL: "", .cloudKitKeyID: key.id, .cloudKitWebAuthToken: "",
      .cloudKitAPIToken: configuration.apiTokens.first?.exposed ?? "",
      .managementToken: configuration.managementToken.exposed,
    ]
    if let path = key.privateKeyPath {
      settings[.cloudKitKeyPath] = path
      settings[.cloudKitKey] = ""
    }
    return settings.reduce(into: job) { $0[$1.key.variable] = $1.value }
  }

  /// The ready file's document without secrets: the management token and the console's address.
  var json: JSONValue {
    server.readyDocument(
      container: configuration.container, keyID: key.id, privateKeyPath: key.privateKeyPath)
  }

  private mutating func writeFiles() throws {
    // A file cannot set what only the environment of the process may say.
    let ofProcess = SettingKey.all.filter { $0.places == .process }.map(\.variable)
    try files.write(
      ready: server.readyDocument(
        container: configuration.container, keyID: key.id, privateKeyPath: key.privateKeyPath,
        managementToken: hidesManagementToken ? nil : configuration.managementToken,
        consoleURL: console?.url),
      variables: environment(of: [:]).filter {
        !ofProcess.contains($0.key) && !knownTokens.contains(Secret($0.value))
      })
  }
}
