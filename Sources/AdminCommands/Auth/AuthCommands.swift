internal import ArgumentParser
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import Platform

struct AuthKeygen: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "keygen", abstract: "Create a server-to-server key.",
    discussion: """
      Writes the private key to a new file that only its owner can read, and prints the public key, to be pasted in \
      the CloudKit Console under Tokens & Keys, Server-to-Server Keys. The Console then shows the key's id.

      Example: celestra-admin auth keygen --key-file key.pem
      """)

  @Option("The file to write; it must not exist yet.", value: "file", completion: .file()) var keyFile: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthKeygen>

  func validate() throws {
    try InputFile.requireNamed(keyFile, "--key-file", because: "a private key is never printed")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try RunFiles.use(keyFile, as: "the key file")
    // The public key is printed once: its file must be writable before the private key is made.
    try context.results.open()
    let key = try P256PrivateKey.generate()
    let publicKey = try key.publicKey.pem()
    try PrivateFile.create(keyFile, key.secretPEM())
    let json: JSONValue = ["privateKeyPath": keyFile.json, "publicKey": publicKey.json]
    if context.format == .text {
      context.note("The private key is in \(keyFile). Paste this public key in the CloudKit Console:")
    }
    return PlainReport(json: json) { ReportBody.document(publicKey) }
  }
}

struct AuthSaveToken: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "save-token", abstract: "Save a management token for later runs.",
    discussion: """
      Reads the token from standard input, or asks for it on a terminal, which does not show it. It is kept with mode \
      0600, and sent only to Apple's service, or to the address that CLOUDKIT_MANAGEMENT_BASE_URL names now.

      Example: celestra-admin auth save-token < token.txt
      """)

  @Flag(help: "Replace a saved token.") var force = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthSaveToken>

  func perform(in context: CommandContext) async throws -> any Report {
    let store = TokenStore(context.process)
    guard try force || !store.contains(.management) else {
      throw CommandFailure(
        "a management token is already saved", code: "exists", hint: "Add --force to replace it.")
    }
    let address = try context.addressOfToken(.management)
    let token = try AuthSaveToken.readToken(context)
    try store.save(token, .management, address: address)
    let path = try store.path(.management)
    return PlainReport(json: ["path": path.json], isConfirmation: true) { "saved in \(path)" }
  }

  /// - Parameter file: `-` for standard input; `nil` asks for the token where there is a terminal.
  static func readToken(
    _ context: CommandContext, _ kind: TokenStore.Kind = .management, from file: String? = nil
  ) throws -> String {
    let typed: String
    if file == nil, context.process.console.readLine != nil {
      guard !context.common.noInput else {
        throw CommandFailure.usage("--no-input prevents asking for the token; pass it on standard input")
      }
      typed =
        try context.process.console.askSecret("\(kind == .management ? "Management" : "User") token: ") ?? ""
    } else {
      typed = String(decoding: try InputFile.read(file ?? "-", upTo: InputFile.settingsLimit), as: UTF8.self)
    }
    return try TokenFormat.checked(typed.trimmingWhitespace)
  }
}

struct AuthRemoveToken: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-token", abstract: "Remove the saved management token.",
    discussion: "Example: celestra-admin auth remove-token")

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthRemoveToken>

  func perform(in context: CommandContext) async throws -> any Report {
    try TokenStore(context.process).remove(.management)
    return PlainReport(json: ["removed": true], isConfirmation: true) { "removed" }
  }
}

struct AuthStatus: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which credentials are configured, and their source.",
    discussion: "Example: celestra-admin auth status --format json")

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthStatus>

  func perform(in context: CommandContext) async throws -> any Report {
    let keys: [SettingKey] = [
      .cloudKitContainer, .cloudKitTeam, .cloudKitKeyID, .cloudKitKeyPath, .cloudKitKey, .cloudKitAPIToken,
      .managementToken,
    ]
    var found = try keys.compactMap { key in
      try context.settings.lookup(key).map { (name: key.name, origin: $0.origin.name) }
    }
    let store = TokenStore(context.process)
    if try store.contains(.management), try !context.hidesSavedToken(store) {
      found.append(("saved management token", try store.path(.management)))
    }
    let list = found.map { entry -> JSONValue in ["name": entry.name.json, "origin": entry.origin.json] }
    return PlainReport(json: ["credentials": .array(list)]) {
      if found.isEmpty { "no credentials are configured" }
      Table(facts: found.map { ("\($0.name)", "\("from \($0.origin)", .dim)") })
    }
  }
}
