internal import ArgumentParser
internal import CloudKitEmulator
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import LocalContainer

/// The options of `emulator serve` and `emulator exec`.
struct EmulatorArguments: ParsableArguments, Sendable {
  @Option(help: ArgumentHelp("The container's schema.", valueName: "file"), completion: .file()) var schema:
    String
  @Option(
    help: ArgumentHelp("Keep the records in this file; in memory otherwise.", valueName: "file"),
    completion: .file())
  var containerFile: String?
  @Option(help: "The port to listen on; a free one otherwise.") var port = 0
  @Option(
    help: ArgumentHelp("Write the address and key here once it listens, as JSON.", valueName: "file"),
    completion: .file())
  var readyFile: String?
  @Option(
    help: ArgumentHelp(
      "Write the CLOUDKIT_ variables of a client here once it listens, for a shell or as .env.",
      valueName: "file"),
    completion: .file())
  var envFile: String?
  @Option(
    help: ArgumentHelp(
      "Accept the key in this PEM file, which is made if it does not exist: the same key after each start.",
      valueName: "file"),
    completion: .file())
  var keyFile: String?
  @Option(help: ArgumentHelp("The id of a key that may sign.", valueName: "id")) var keyID: String?
  @Option(help: ArgumentHelp("That key's public half; a throw-away key is made otherwise.", valueName: "pem"))
  var publicKey: String?
  @Option(help: ArgumentHelp("Milliseconds before each answer, at most 600000.", valueName: "ms"))
  var latency = 0
  @Option(help: ArgumentHelp("Requests a second; more are refused with 429.", valueName: "rps"))
  var rateLimit: Double?
  @Option(help: ArgumentHelp("Milliseconds until a query sees what was written.", valueName: "ms"))
  var indexDelay = 0
  @Option(help: ArgumentHelp("Records in a page, at most 200.", valueName: "n")) var pageSize: Int?
  @Option(
    help: ArgumentHelp(
      "Inject a fault, as status,status=503,every=3 or reset-after,endpoint=records/modify. May be repeated.",
      valueName: "rule"))
  var fault: [String] = []
  @Option(
    name: [.long, .customLong("behaviour")],
    help: ArgumentHelp(
      "Choose the behavior where Apple's is unknown, as updateWithoutTag=accept. May be repeated.",
      valueName: "name=value"))
  var behavior: [String] = []
  @Option(
    help: ArgumentHelp("Freeze the clock at this time, for reproducible timestamps.", valueName: "iso8601")
  )
  var clock: String?
  @Option(
    help: ArgumentHelp(
      "The custom roles the key holds, separated by commas, or '' for none; all otherwise.",
      valueName: "roles"))
  var identityRoles: String?
  @Option(
    help: ArgumentHelp(
      "Also answer for this host name, as in a container network. May be repeated.", valueName: "name"))
  var allowedHost: [String] = []
  @Option(
    help: ArgumentHelp(
      "Also answer pages of this origin, as https://app.example. May be repeated.", valueName: "origin"))
  var allowedOrigin: [String] = []
  @Flag(help: "Serve a container id other than iCloud.demo.…, which may be a real one's.")
  var allowRealContainer = false

  func validate() throws {
    if (keyID == nil) != (publicKey == nil) {
      throw ValidationError("--key-id and --public-key belong together")
    }
    guard keyFile == nil || keyID == nil else {
      throw ValidationError("give either --key-file or --key-id and --public-key")
    }
    try InputFile.requireNamed(keyFile, "--key-file", because: "it is kept for the next start")
    try InputFile.requireNamed(envFile, "--env-file", because: "it holds secrets and is removed at the end")
    try InputFile.requireNamed(containerFile, "--container-file", because: "it is a database")
    try InputFile.requireNamed(
      readyFile, "--ready-file", because: "it appears whole, and the key is put beside it")
    try Self.check("--port", port, 0...65_535)
    try Self.check("--latency", latency, 0...600_000)
    try Self.check("--index-delay", indexDelay, 0...3_600_000)
    if let pageSize { try Self.check("--page-size", pageSize, 1...200) }
    if let rateLimit, !(0.001...1_000_000).contains(rateLimit) {
      throw ValidationError("--rate-limit takes a number, 0.001 to 1000000")
    }
    if let clock, Timestamp(text: clock) == nil {
      throw ValidationError("--clock takes a time such as 2026-01-01T00:00:00Z")
    }
    if let name = allowedHost.first(where: { $0.isEmpty || $0.contains { "/:*@ ".contains($0) } }) {
      throw ValidationError("--allowed-host takes a host name without scheme and port, not '\(name)'")
    }
    if let origin = allowedOrigin.first(where: { !Self.isOrigin($0) }) {
      throw ValidationError("--allowed-origin takes an origin such as https://app.example, not '\(origin)'")
    }
    do {
      var scratch = EmulatorSetup(container: "")
      try addTrouble(to: &scratch)
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// A scheme, a host and perhaps a port, as browsers send it; pages without a host send `null`.
  private static func isOrigin(_ text: String) -> Bool {
    guard let scheme = text.firstRange(of: "://") else { return text == "null" }
    let host = text[scheme.upperBound...]
    return scheme.lowerBound > text.startIndex && !host.isEmpty && !host.contains { "/*@ ".contains($0) }
  }

  private static func check(_ option: String, _ value: Int, _ range: ClosedRange<Int>) throws {
    guard !range.contains(value) else { return }
    throw ValidationError("\(option) takes a whole number, \(range.lowerBound) to \(range.upperBound)")
  }

  private func addTrouble(to setup: inout EmulatorSetup) throws {
    setup.configuration.faults = try fault.map(FaultRule.init(parsing:))
    for choice in behavior { try EmulatorOption.apply(choice, to: &setup) }
  }

  /// The settings of the emulator, from options and configuration.
  func setup(
    _ context: CommandContext, container: String, key: EmulatorKey, tokens: EmulatorTokens
  ) throws -> EmulatorSetup {
    var setup = EmulatorSetup(container: container)
    setup.location = containerFile.map(LocalStore.Location.file) ?? .memory
    setup.pageSize = pageSize
    setup.behavior.indexDelay = Int64(indexDelay)
    setup.listening.port = port
    setup.listening.allowsRealContainer = allowRealContainer
    setup.configuration.allowedHosts = Set(allowedHost)
    setup.configuration.allowedOrigins = Set(allowedOrigin)
    setup.configuration.environments = [try context.environment]
    setup.configuration.keys = [key.id: key.publicKey]
    if let identityRoles {
      let roles = Set(identityRoles.split(separator: ",").map(String.init))
      setup.configuration.keyIdentity = .serverKey(roles: roles)
    }
    setup.configuration.latency = .milliseconds(latency)
    setup.configuration.rateLimit = rateLimit
    if let time = clock.flatMap(Timestamp.init(text:)) { setup.standStill(at: time) }
    setup.configuration.team = try context.settings[.cloudKitTeam]
    tokens.add(to: &setup)
    try addTrouble(to: &setup)
    return setup
  }

  /// The container id that clients use.
  func target(_ container: String, in context: CommandContext) throws -> ContainerIdentity {
    let spec = ContainerSpec.cloudKit(id: container)
    return ContainerIdentity(name: spec.description, environment: try context.environment)
  }

  static let demoContainer = "iCloud.demo.celestra"

  func containerID(_ context: CommandContext) throws -> String {
    if case .cloudKit(let id) = try context.spec { return id }
    return Self.demoContainer
  }
}
