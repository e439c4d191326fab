internal import CloudKitEmulator
internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import SchemaLanguage

/// An emulator that listens, and what a client must know to reach it.
struct RunningEmulator {
  let server: EmulatorServer
  let key: EmulatorKey
  let configuration: EmulatorConfiguration
  let environment: Environment
  private let readyFile: String?

  /// - Parameter managementToken: the only one that is taken, unless the configuration has one.
  static func start(
    _ arguments: EmulatorArguments, _ session: Session, managementToken: Secret? = nil
  ) async throws -> RunningEmulator {
    let key = try EmulatorKey(arguments) { try keyFolder(arguments) }
    do {
      var setup = try arguments.setup(session, key: key)
      setup.configuration.managementToken = setup.configuration.managementToken ?? managementToken
      let server = try await setup.start(
        try ParsedSchema.valid(in: arguments.schema).schema, logger: session.logger("emulator"))
      let running = RunningEmulator(
        server: server, key: key, configuration: setup.configuration, environment: try session.environment,
        readyFile: arguments.readyFile)
      do {
        try running.writeReadyFile()
      } catch {
        await server.stop()
        throw error
      }
      return running
    } catch {
      // What went wrong first is what is told.
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

  /// The variables that point a job at this emulator.
  var variables: [String: String] {
    var variables = [
      "CLOUDKIT_BASE_URL": server.url, "CLOUDKIT_MANAGEMENT_BASE_URL": server.url,
      "CLOUDKIT_CONTAINER_ID": configuration.container, "CLOUDKIT_ENVIRONMENT": environment.rawValue,
      "CLOUDKIT_KEY_ID": key.id, "CLOUDKIT_TEAM_ID": configuration.team ?? EmulatorConfiguration.anyTeam,
    ]
    variables["CLOUDKIT_MANAGEMENT_TOKEN"] = configuration.managementToken?.exposed
    variables["CLOUDKIT_PRIVATE_KEY_PATH"] = key.privateKeyPath
    return variables
  }

  var json: JSONValue {
    server.readyDocument(
      container: configuration.container, keyID: key.id, privateKeyPath: key.privateKeyPath)
  }

  private func writeReadyFile() throws {
    guard let readyFile else { return }
    do {
      try Data(json.bytes(.pretty)).write(to: URL(filePath: readyFile), options: .atomic)
    } catch {
      throw CommandFailure("cannot write \(readyFile): \(error.reason)", code: "unwritable-file")
    }
  }

  /// Beside the ready file, where whoever reads it can find the key; else among the system's temporary files.
  private static func keyFolder(_ arguments: EmulatorArguments) throws -> String {
    guard let readyFile = arguments.readyFile else { return FileManager.default.temporaryDirectory.path }
    return URL(filePath: readyFile).standardizedFileURL.deletingLastPathComponent().path
  }

  private static func removeKey(_ key: EmulatorKey) throws {
    guard let path = key.privateKeyPath, FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.removeItem(atPath: path)
  }
}
