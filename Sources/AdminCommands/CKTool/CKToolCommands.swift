internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage
internal import WebServicesWire

/// A subcommand of `cktool` with Apple's options, which are mapped to this tool's settings.
protocol CKToolSubcommand: RunnableCommand {
  /// Values of options, as environment variables that override those of the process.
  var variables: [String: String] { get }
}

extension CKToolSubcommand {
  static var formats: [OutputFormat] { [.text] }
  var common: SharedOptionValues { .none }
  var variables: [String: String] { [:] }

  func run() async throws {
    var process = ProcessContext.current
    process.environment.merge(variables) { $1 }
    let status = await CommandRunner(command: self, process: process).run()
    if status == .done { return }
    let isKept = [.usage, .interrupted, .terminated].contains(status)
    throw ExitCode((isKept ? status : .failed).rawValue)
  }
}

extension CommandContext {
  /// Asks the user to confirm, as Apple's tool does; scripts pass `--force`.
  func confirmLikeCKTool(_ question: PrintableText, isForced: Bool) async throws {
    if isForced { return }
    guard process.console.readLine != nil else {
      throw CommandFailure(
        "cannot prompt: standard input is not a terminal", code: "not-confirmed", hint: "Add --force.")
    }
    try process.console.errors.write("\(question) (y/n): ")
    let answer = try await process.console.answer()
    guard ["y", "yes"].contains(answer?.lowercased()) else { throw CommandFailure.cancelled }
  }
}

struct CKToolTokenOption: ParsableArguments, Sendable {
  @Option(
    name: [.customShort("t"), .long],
    help: "The token. Other users of this machine can see it: prefer a variable or a saved token.")
  var token: String?

  var variables: [String: String] { token.map { ["CLOUDKIT_MANAGEMENT_TOKEN": $0] } ?? [:] }

  func validate() throws {
    if let token, !TokenFormat.isToken(token) {
      throw ValidationError("--token takes one word of visible ASCII characters")
    }
  }
}

struct CKToolContainerOptions: ParsableArguments, Sendable {
  @OptionGroup var token: CKToolTokenOption
  @Option(help: "The developer team's ten characters.") var teamId: String
  @Option(help: "The container: iCloud.com.example.App.") var containerId: String

  func validate() throws {
    guard TeamID.isOne(teamId) else {
      throw ValidationError("--team-id takes the id of a developer team: \(TeamID.form)")
    }
  }

  func common(_ environment: EnvironmentOption, output: String? = nil) -> SharedOptionValues {
    var options = SharedOptionValues.none
    options.container = "cloudkit:\(containerId)"
    options.environment = environment
    options.output = output
    return options
  }

  var variables: [String: String] {
    ["CLOUDKIT_TEAM_ID": teamId].merging(token.variables) { $1 }
  }
}

/// The options that confirm what Apple's tool does without asking: it deletes data that nothing restores.
struct CKToolConfirmation: ParsableArguments, ConfirmationOptions {
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
  @Option("Accept the risk data-loss: data is deleted that nothing restores.", value: "name")
  var acceptRisk: [String] = []

  func validate() throws {
    guard acceptRisk.allSatisfy({ $0 == DeletionLoss.risk }) else {
      throw ValidationError("--accept-risk takes \(DeletionLoss.risk) here")
    }
  }
}

/// The option `--environment`, also accepted in upper case
/// (Documentation/reference/schema-language.md#cktool-commands).
struct CKToolEnvironmentOption: ParsableArguments, Sendable {
  @Option(
    help: "development or production.", completion: EnumOption.words(EnvironmentOption.self),
    transform: { try EnumOption.parse($0.lowercased()) })
  var environment: EnvironmentOption
}

struct CKToolExportSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "export-schema", abstract: "Print the container's schema, as the service writes it.",
    discussion: """
      Example:
        celestra-admin cktool export-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --output-file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var environment: CKToolEnvironmentOption
  @Option(help: "Write to this file instead of standard output.", completion: .file()) var outputFile: String?

  var common: SharedOptionValues { container.common(environment.environment, output: outputFile) }
  var variables: [String: String] { container.variables }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try await context.schemaContainer().exportSchema()
    return PlainReport(json: text.json) { ReportBody.document(text) }
  }
}

struct CKToolImportSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "import-schema",
    abstract: "Replace the container's schema; what the file leaves out is deleted.",
    discussion: """
      Unlike Apple's tool it asks before it deletes a type or a field, because nothing restores what they hold: a script \
      needs --yes --accept-risk data-loss for that.

      Example:
        celestra-admin cktool import-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var environment: CKToolEnvironmentOption
  @Option(help: "The schema file.", completion: .file()) var file: String
  @Flag(help: "Validate the schema before importing it.") var validate = false
  @OptionGroup var confirmation: CKToolConfirmation

  var common: SharedOptionValues { container.common(environment.environment) }
  var variables: [String: String] { container.variables }

  func perform(in context: CommandContext) async throws -> any Report {
    guard try context.environment != .production else {
      var refusal = ServerError.importInProduction.failure
      refusal.hint =
        "Nothing was sent: CloudKit takes no schema import in production. 'schema plan FILE --environment production' "
        + "prints the steps in the CloudKit Console."
      throw refusal
    }
    let text = try InputFile.text(file)
    let schema = try await context.schemaContainer(writing: true, canBeNew: true)
    if validate, let reason = try await schema.validateSchema(text) {
      return PlainReport.ofValidation(invalid: reason)
    }
    let plan = SchemaPlan(
      target: try context.target, current: try await schema.currentSchema(),
      wanted: try Schema(parsing: text, name: InputFile.displayName(file)))
    if plan.risks.contains(DeletionLoss.risk) {
      try await context.confirm(
        "Import \(counted(plan.changes.count, "change")) into \(plan.target.inWords).",
        details: plan.changes.body(), deleting: .permanent, options: confirmation)
    }
    guard !plan.changes.isEmpty else {
      try await schema.importSchema(text)
      return PlainReport()
    }
    let deleted = plan.risks.contains(DeletionLoss.risk) ? nil : 0
    try await context.changing(schema, from: plan.current, in: Self.title, deleting: deleted) {
      try await schema.importSchema(text)
    }
    return PlainReport()
  }
}

struct CKToolValidateSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "validate-schema", abstract: "Check whether a schema file can be imported.",
    discussion: """
      Example:
        celestra-admin cktool validate-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var environment: CKToolEnvironmentOption
  @Option(help: "The schema file.", completion: .file()) var file: String

  var common: SharedOptionValues { container.common(environment.environment) }
  var variables: [String: String] { container.variables }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try InputFile.text(file)
    return PlainReport.ofValidation(invalid: try await context.schemaContainer().validateSchema(text))
  }
}

extension PlainReport {
  /// The service's answer, in the text of Apple's tool
  /// (Documentation/reference/schema-language.md#cktool-commands).
  ///
  /// - Parameter reason: why the schema is invalid; `nil` if it is valid.
  fileprivate static func ofValidation(invalid reason: String?) -> PlainReport {
    guard let reason else { return PlainReport(json: ["isValid": true]) { "✅ Schema is valid." } }
    return PlainReport(.failed, json: ["isValid": false, "errorMessage": reason.json]) {
      "❌ Schema validation failed: \(reason)"
    }
  }
}

struct CKToolResetSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-schema",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      Unlike Apple's tool it asks first, because nothing restores the records: a script needs --yes --accept-risk data-loss.

      Example:
        celestra-admin cktool reset-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --yes --accept-risk data-loss
      """)

  @OptionGroup var container: CKToolContainerOptions
  @OptionGroup var confirmation: CKToolConfirmation

  var common: SharedOptionValues { container.common(.development) }
  var variables: [String: String] { container.variables }

  func perform(in context: CommandContext) async throws -> any Report {
    do { try await context.resetSchema(Self.title, confirmation) } catch let error as LeaseError {
      var failure = error.failure
      failure.hint = "Wait until it ends. 'celestra-admin schema reset' has --wait and --break-lease."
      throw failure
    }
    return PlainReport()
  }
}

/// Where Apple's tool stores a token. This tool stores both in the file of `auth save-token`, because it does not
/// use a keychain.
enum CKToolTokenStorage: String, CaseIterable, Sendable, ExpressibleByArgument { case file, keychain }

extension TokenStore.Kind: ExpressibleByArgument {}

struct CKToolSaveToken: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "save-token", abstract: "Save a token for later runs.",
    discussion: """
      The token is read from --file or standard input, or asked for, unless it is given.

      No command of this tool uses a user token.

      Example:
        celestra-admin cktool save-token --type management < token.txt
      """)

  @Argument(help: "The token; prefer standard input, which other users cannot see.") var token: String?
  @Option(help: "Read the token from this file; - is standard input.", completion: .file()) var file: String?
  @Option(help: "management or user. Default: management with --file, else ask.") var type: TokenStore.Kind?
  @Option(help: "file or keychain; both mean a file with mode 0600.") var method: CKToolTokenStorage =
    .keychain
  @Flag(help: "Replace a saved token without asking.") var force = false

  func validate() throws {
    if token != nil, file != nil { throw ValidationError("give either the token or --file") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let kind = type == nil && file == nil ? try await askForKind(context) : type ?? .management
    if kind == .user { context.note("note: no command uses a user token; those for records need a key") }
    let store = TokenStore(context.process)
    let address = try context.addressOfToken(kind)
    let text =
      try token.map { try TokenFormat.checked($0) } ?? AuthSaveToken.readToken(context, kind, from: file)
    if try store.contains(kind) {
      try await context.confirmLikeCKTool(
        "A \(kind.rawValue) token is saved already. Replace it?", isForced: force)
    }
    try store.save(text, kind, address: address)
    return PlainReport()
  }

  private func askForKind(_ context: CommandContext) async throws -> TokenStore.Kind {
    guard context.process.console.readLine != nil else {
      throw CommandFailure.usage("add --type management or --type user")
    }
    try context.process.console.errors.write("Type of token (management or user): ")
    return try EnumOption.parse(try await context.process.console.answer() ?? "")
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

  func perform(in context: CommandContext) async throws -> any Report {
    let store = TokenStore(context.process)
    if try store.contains(type) {
      try await context.confirmLikeCKTool("Remove the \(type.rawValue) token?", isForced: force)
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

  var variables: [String: String] { token.variables }

  func perform(in context: CommandContext) async throws -> any Report {
    let teams = try await context.teamsContainer().teams()
    let json = teams.map { team -> JSONValue in ["id": team.id.json, "name": team.name.json] }
    return PlainReport(json: .array(json)) { for team in teams { "\(team.id): \(team.name)" } }
  }
}

struct CKToolVersion: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of this tool.",
    discussion: """
      Example:
        celestra-admin cktool version
      """)

  func run() { print(AdminTool.version) }
}
