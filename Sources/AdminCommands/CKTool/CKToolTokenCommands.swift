internal import ArgumentParser
internal import CloudKitClient
internal import CommandLine
internal import Diagnostics
internal import WebServicesWire

/// Where Apple's tool stores a token. This tool stores both in the file of `auth save-token`, because it does not
/// use a keychain.
enum CKToolTokenStorage: String, CaseIterable, Sendable, ExpressibleByArgument { case file, keychain }

extension TokenStore.Kind: ExpressibleByArgument {}

struct CKToolSaveToken: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "save-token", abstract: "Save a token for later runs.",
    discussion: """
      The token is read from --file or standard input, or asked for, unless it is given.

      Example:
        celestra-admin cktool save-token --type management < token.txt
      """)

  @Argument(help: "The token; prefer standard input, which other users cannot see.") var token: String?
  @Option(help: "Read the token from this file; - is standard input.", completion: .file()) var file: String?
  @Option(help: "management or user. Default: management with --file, else ask.") var type: TokenStore.Kind?
  @Option(help: "file or keychain; both mean a file with mode 0600.") var method: CKToolTokenStorage =
    .keychain
  @Flag(help: "Replace a saved token without asking.") var force = false

  var place: CKToolSettings { CKToolSettings() }

  func validate() throws {
    if token != nil, file != nil { throw ValidationError("give either the token or --file") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let kind = try type ?? (file == nil ? askForKind(context) : .management)
    let store = TokenStore(context.process)
    let address = try context.addressOfToken(kind)
    let text =
      try token.map { try TokenFormat.checked($0) } ?? AuthSaveToken.readToken(context, kind, from: file)
    if try store.contains(kind) {
      try context.confirmLikeCKTool(
        "A \(kind.rawValue) token is saved already. Replace it?", yes: force, flag: "--force")
    }
    try store.save(text, kind, address: address)
    return PlainReport()
  }

  private func askForKind(_ context: CommandContext) throws -> TokenStore.Kind {
    guard let readLine = context.process.console.readLine else {
      throw CommandFailure.usage("add --type management or --type user")
    }
    try context.process.console.errors.write("Type of token (management or user): ")
    return try EnumOption.parse(readLine() ?? "")
  }
}

struct CKToolRemoveToken: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-token", abstract: "Remove a saved token.",
    discussion: """
      Example:
        celestra-admin cktool remove-token --type management
      """)

  @Option(help: "management or user.") var type: TokenStore.Kind
  @Option(help: "file or keychain; both mean a file with mode 0600.") var method: CKToolTokenStorage =
    .keychain
  @Flag(help: "Do not ask for confirmation.") var force = false

  var place: CKToolSettings { CKToolSettings() }

  func perform(in context: CommandContext) async throws -> any Report {
    let store = TokenStore(context.process)
    if try store.contains(type) {
      try context.confirmLikeCKTool("Remove the \(type.rawValue) token?", yes: force, flag: "--force")
    }
    try store.remove(type)
    return PlainReport()
  }
}

struct CKToolGetTeams: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "get-teams", abstract: "Print the teams a management token belongs to.",
    discussion: """
      Example:
        celestra-admin cktool get-teams
      """)

  @OptionGroup var token: CKToolTokenOption

  var place: CKToolSettings {
    CKToolSettings(variables: token.token.map { ["CLOUDKIT_MANAGEMENT_TOKEN": $0] } ?? [:])
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let teams = try await context.teamsContainer().teams()
    let json = teams.map { team -> JSONValue in ["id": .string(team.id), "name": .string(team.name)] }
    return PlainReport(json: .array(json)) { for team in teams { "\(team.id): \(team.name)" } }
  }
}

/// `cktool version`, which is `--version` as well.
struct CKToolVersion: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of this tool.",
    discussion: """
      Example:
        celestra-admin cktool version
      """)

  func run() throws { try ProcessContext.current.console.output.write("\(AdminTool.version)\n") }
}
