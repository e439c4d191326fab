internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import WebServicesWire

extension CommandContext {
  /// The client of the management API; `nil` without a management token.
  func managementContainer(_ id: String, _ environment: Environment) throws -> (any RemoteSchemaManager)? {
    if try schemaRoute == .cktool { return try appleTool(id, environment) }
    guard let credential = try managementCredential else { return nil }
    let target = ManagementTarget(team: try team, container: id, environment: environment)
    return try managementClient(target, credential)
  }

  /// A management client without a team, which can only list the token's teams.
  func teamsContainer() throws -> any RemoteSchemaManager {
    let nowhere = ManagementTarget(team: "", container: "", environment: .development)
    if try schemaRoute == .cktool { return try appleTool(nowhere) }
    guard let credential = try managementCredential else { throw CommandFailure.noManagementToken }
    return try managementClient(nowhere, credential)
  }

  private var schemaRoute: SchemaAccessMethod {
    get throws {
      guard let setting = try settings.lookup(.schemaRoute) else { return .web }
      guard let route = SchemaAccessMethod(rawValue: setting.value) else {
        throw setting.refused(mustBe: SchemaAccessMethod.allCases.map(\.rawValue).joined(separator: " or "))
      }
      return route
    }
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

  private func appleTool(_ id: String, _ environment: Environment) throws -> AppleCKTool {
    try appleTool(ManagementTarget(team: try team, container: id, environment: environment))
  }

  private func appleTool(_ target: ManagementTarget) throws -> AppleCKTool {
    let tool = try AppleCKToolProcess(process.environment)
    let credential = try managementCredential
    // Apple's tool only uses Apple's service.
    let apple = try ServiceAddress(nil, of: .managementBaseURL, plainHTTPHosts: [])
    _ = try apple.text(for: [credential].compactMap(\.self))
    return AppleCKTool(target, token: credential?.secret, waits: waits, run: tool.run)
  }

  private func managementClient(
    _ target: ManagementTarget, _ credential: Credential
  ) throws -> ManagementClient {
    guard let token = credential.secret else { throw CommandFailure.noManagementToken }
    var settings = ManagementClient.Settings(target: target, token: token)
    settings.conventions[.host] = try address(.managementBaseURL).text(for: [credential])
    return ManagementClient(settings, dependencies: try clientDependencies())
  }
}

struct AppleCKToolProcess: Sendable {
  private let program: String
  private let environment: [String: String]

  /// Throws ``CommandFailure`` if `xcrun` is not installed.
  init(_ environment: [String: String]) throws {
    let folders = (environment["PATH"] ?? "/usr/bin").split(separator: ":")
    let paths = folders.map { "\($0)/xcrun" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw CommandFailure(
        "Apple's cktool is not installed: xcrun is not on the PATH", code: "no-cktool",
        hint:
          "It comes with Xcode, on macOS only. Elsewhere leave out --schema-route cktool and give a management token."
      )
    }
    program = path
    self.environment = environment
  }

  /// Runs cktool without standard input, so that it cannot prompt.
  func run(_ arguments: [String], _ variables: [String: String]) async throws -> AppleCKTool.Outcome {
    let child = ChildProcess(
      program: program, arguments: arguments, environment: environment.merging(variables) { $1 },
      streams: .captured)
    let outcome = try await child.run()
    try Task.checkCancellation()
    return AppleCKTool.Outcome(
      status: outcome.status, output: outcome.output, errors: String(decoding: outcome.errors, as: UTF8.self))
  }
}

enum TeamID {
  static let form = "ten letters and digits, such as ABCDE12345"

  static func isOne(_ text: String) -> Bool {
    text.utf8.count == 10 && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
  }
}
