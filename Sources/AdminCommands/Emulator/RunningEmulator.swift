internal import CloudKitEmulator
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import Platform
internal import SchemaLanguage

/// An emulator that listens, and what a client must know to reach it.
struct RunningEmulator {
  let server: EmulatorServer
  let key: EmulatorKey
  let configuration: EmulatorConfiguration
  let environment: Environment
  private let readyFile: String?
  /// The management token, where it was made for this emulator.
  private let madeToken: Secret?

  /// - Parameter tokens: those that are taken.
  static func start(
    _ arguments: EmulatorArguments, _ context: CommandContext, container: String, tokens: EmulatorTokens
  ) async throws -> RunningEmulator {
    let key = try EmulatorKey(arguments) { try keyFolder(arguments) }
    do {
      let setup = try arguments.setup(context, container: container, key: key, tokens: tokens)
      let server = try await setup.start(
        try await context.validSchema(in: arguments.schema).schema, logger: context.logger("emulator"))
      let running = RunningEmulator(
        server: server, key: key, configuration: setup.configuration, environment: try context.environment,
        readyFile: arguments.readyFile,
        madeToken: tokens.management == nil ? setup.configuration.managementToken : nil)
      do {
        try running.writeReadyFile()
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

  /// What the command line can do about it.
  private static func explained(_ error: any Error) -> any Error {
    guard case EmulatorServerError.mayBeReal? = error as? EmulatorServerError else { return error }
    return CommandFailure(
      "\(error)", code: "real-container",
      hint: "Name it iCloud.demo.…, or add --allow-real-container if it is meant.")
  }

  /// Finishes the requests in flight and takes the throw-away key away.
  func stop() async throws {
    await server.stop()
    try RunningEmulator.removeKey(key)
  }

  /// The environment of a job that reaches this emulator and nothing else. The environment goes before every file, so
  /// each setting that leads to a service, or opens one, has a value here; an empty one hides a secret of the files.
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

  /// Without the management token.
  var json: JSONValue { readyDocument(managementToken: nil) }

  private func readyDocument(managementToken: Secret?) -> JSONValue {
    server.readyDocument(
      container: configuration.container, keyID: key.id, privateKeyPath: key.privateKeyPath,
      managementToken: managementToken)
  }

  private func writeReadyFile() throws {
    guard let readyFile else { return }
    try PrivateFile.replace(readyFile, readyDocument(managementToken: madeToken).bytes(.pretty))
  }

  /// The folder of the key: that of the ready file, which names the key; otherwise the system's temporary folder.
  private static func keyFolder(_ arguments: EmulatorArguments) throws -> String {
    guard let readyFile = arguments.readyFile else { return FileManager.default.temporaryDirectory.path }
    return URL(filePath: readyFile).standardizedFileURL.deletingLastPathComponent().path
  }

  private static func removeKey(_ key: EmulatorKey) throws {
    guard let path = key.privateKeyPath, FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.removeItem(atPath: path)
  }
}
