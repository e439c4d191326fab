internal import CloudKitEmulator
internal import CloudKitModel
internal import FoundationEssentials
internal import PositionedJSON

/// An emulator that listens, and what a client must know to reach it.
struct RunningEmulator {
  let server: EmulatorServer
  let key: EmulatorKey
  let container: String
  let environment: Environment
  private let readyFile: String?

  static func start(_ arguments: EmulatorArguments, _ session: Session) async throws -> RunningEmulator {
    let key = try EmulatorKey(arguments) { try keyFolder(arguments) }
    do {
      let configuration = try arguments.configuration(session, key: key)
      let store = try await arguments.store(session, configuration)
      var listening = EmulatorServer.Listening(port: arguments.port)
      listening.allowsRealContainer = arguments.allowRealContainer
      let server = try await EmulatorServer.start(
        configuration, store: store, listening: listening, logger: session.logger("emulator"))
      let running = RunningEmulator(
        server: server, key: key, container: configuration.container, environment: try session.environment,
        readyFile: arguments.readyFile)
      try running.writeReadyFile()
      return running
    } catch {
      try removeKey(key)
      throw error
    }
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
      "CLOUDKIT_CONTAINER_ID": container, "CLOUDKIT_ENVIRONMENT": environment.rawValue,
      "CLOUDKIT_KEY_ID": key.id, "CLOUDKIT_MANAGEMENT_TOKEN": "emulator", "CLOUDKIT_TEAM_ID": "DEMODEMO00",
    ]
    variables["CLOUDKIT_PRIVATE_KEY_PATH"] = key.privateKeyPath
    return variables
  }

  var json: JSONValue {
    var object: JSONObject = [
      "url": .string(server.url), "managementURL": .string(server.url), "keyID": .string(key.id),
      "container": .string(container),
    ]
    object["privateKeyPath"] = key.privateKeyPath.map(JSONValue.string)
    return .object(object)
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
    if let path = key.privateKeyPath { try FileManager.default.removeItem(atPath: path) }
  }
}
