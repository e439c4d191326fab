internal import CloudKitEmulator
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import Platform
internal import SchemaLanguage

/// A running emulator, with the key, tokens and URL for its clients.
struct RunningEmulator {
  let server: EmulatorServer
  let key: EmulatorKey
  let configuration: EmulatorConfiguration
  let environment: Environment
  private let files: EmulatorClientFiles
  /// The management token, where it was made for this emulator.
  private let madeToken: Secret?

  /// - Parameter tokens: the tokens that the emulator accepts.
  static func start(
    _ arguments: EmulatorArguments, _ context: CommandContext, container: String, tokens: EmulatorTokens
  ) async throws -> RunningEmulator {
    let files = EmulatorClientFiles(arguments)
    try await files.prepare()
    let key = try EmulatorKey(arguments) { try keyFolder(arguments) }
    do {
      let setup = try arguments.setup(context, container: container, key: key, tokens: tokens)
      let server = try await setup.start(
        try await context.validSchema(in: arguments.schema).schema, logger: context.logger("emulator"))
      let running = RunningEmulator(
        server: server, key: key, configuration: setup.configuration, environment: try context.environment,
        files: files,
        madeToken: tokens.management == nil ? setup.configuration.managementToken : nil)
      do {
        try running.writeFiles()
      } catch {
        await server.stop()
        throw error
      }
      return running
    } catch {
      // Report the first error.
      try? removeKey(key)
      throw explained(error)
    }
  }

  /// The option that solves the problem.
  private static func explained(_ error: any Error) -> any Error {
    switch error as? EmulatorServerError {
    case .mayBeReal?:
      CommandFailure(
        "\(error)", code: "real-container",
        hint: "Name it iCloud.demo.…, or add --allow-real-container if it is meant.")
    case .portTaken(let port)?:
      CommandFailure(
        "\(error)", code: "port-taken",
        hint:
          "Perhaps another emulator uses it: 'lsof -i :\(port)' names the program. Or choose another --port.")
    case .portReserved?:
      CommandFailure("\(error)", code: "port-reserved", hint: "Choose a --port from 1024 up.")
    default: error
    }
  }

  /// Finishes the requests in flight, and removes the clients' files and a throw-away key.
  func stop() async throws {
    await server.stop()
    try files.remove()
    try RunningEmulator.removeKey(key)
  }

  /// The environment variables of a job that only uses this emulator. They override all configuration files, so
  /// every setting with a URL or a credential has a value here; an empty value hides a secret in a file.
  func environment(of job: [String: String]) -> [String: String] {
    var settings: [SettingKey: String] = [
      .container: "cloudkit:\(configuration.container)", .cloudKitContainer: configuration.container,
      .cloudKitEnvironment: environment.rawValue,
      .cloudKitTeam: configuration.team ?? EmulatorConfiguration.anyTeam,
      .baseURL: server.url, .managementBaseURL: server.url, .schemaRoute: SchemaRoute.web.rawValue,
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

  /// The variables without the management token.
  var json: JSONValue { readyDocument(managementToken: nil) }

  private func readyDocument(managementToken: Secret?) -> JSONValue {
    server.readyDocument(
      container: configuration.container, keyID: key.id, privateKeyPath: key.privateKeyPath,
      managementToken: managementToken)
  }

  private func writeFiles() throws {
    // A file cannot set what only the environment of the process may say.
    let ofProcess = SettingKey.all.filter(\.isOfProcess).map(\.variable)
    try files.write(
      ready: readyDocument(managementToken: madeToken),
      variables: environment(of: [:]).filter { !ofProcess.contains($0.key) })
  }

  /// The folder of the key: that of the ready file, which names the key; otherwise the system's temporary folder.
  private static func keyFolder(_ arguments: EmulatorArguments) throws -> String {
    guard let readyFile = arguments.readyFile else { return FileManager.default.temporaryDirectory.path }
    return URL(filePath: readyFile).standardizedFileURL.deletingLastPathComponent().path
  }

  private static func removeKey(_ key: EmulatorKey) throws {
    guard key.isThrowAway, let path = key.privateKeyPath, FileManager.default.fileExists(atPath: path) else {
      return
    }
    try FileManager.default.removeItem(atPath: path)
  }
}
