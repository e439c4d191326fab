internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The schemas with which `schema init` can begin, from what the binary carries.
enum SchemaTemplate: String, CaseIterable, ExpressibleByArgument {
  case celestra, sessions, empty

  var text: [UInt8] {
    switch self {
    case .celestra: PackageResources.celestra_ckdb
    case .sessions: PackageResources.live_sessions_ckdb
    case .empty: PackageResources.empty_ckdb
    }
  }

  /// The file that declares what is moderated; `nil` for a schema without it.
  var moderation: [UInt8]? { self == .sessions ? PackageResources.moderation_json : nil }
}

/// The command `schema init`.
struct SchemaInit: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a commented schema, settings and a workflow for GitHub.",
    discussion: """
      Without --template the schema is a short example of public and private types, roles and relations. The settings are an empty \
      celestra-admin.json, and .github/workflows/schema.yml checks each pull request without a secret; in a git work tree \
      both go into its root. The template sessions has moderation.json, too. A file that exists is kept. To start with the schema of a container, run 'schema pull' on the \
      file afterwards.

      Example: celestra-admin schema init schema/app.ckdb
      Example: celestra-admin schema init schema/catalog.ckdb --template celestra
      """)

  @Argument(help: "The schema file.", completion: .file(extensions: ["ckdb"])) var file = "schema/app.ckdb"
  @Option(
    help: ArgumentHelp(
      "Begin with the catalog's schema (celestra), that of live sessions (sessions), or without types of your own (empty).",
      valueName: "name"))
  var template: SchemaTemplate?
  @Flag(help: "Show what would be written. Nothing is written.") var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaInit>

  func validate() throws { try SchemaFiles.requireFiles([file], for: "schema init") }

  func perform(in context: CommandContext) async throws -> any Report {
    let files = try StarterFiles.project(
      schema: file, from: template?.text ?? PackageResources.starter_ckdb, moderation: template?.moderation,
      below: context.process.foldersInWorkTree())
    if !dryRun { try files.write() }
    let isOwn = template == nil || template == .empty
    let types: PrintableText =
      files.files[0].exists || !isOwn ? "" : "put your record types into \(files.files[0].path), and "
    return files.report(
      isWritten: !dryRun,
      next:
        "\(types)replace OWNER/celestra-admin@REF in \(files.files[2].path) by the repository and a commit of celestra-admin"
    )
  }
}
