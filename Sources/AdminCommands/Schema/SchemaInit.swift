internal import ArgumentParser
internal import Catalog
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

  @Argument(help: "The schema file.", completion: .schemaFile) var file = "schema/app.ckdb"
  @Option(
    "Begin with the catalog's schema (celestra), that of live sessions (sessions), or without types of your own (empty).",
    value: "name")
  var template: SchemaTemplate?
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaInit>

  func validate() throws { try SchemaFiles.requireFiles([file], for: "schema init") }

  func perform(in context: CommandContext) async throws -> any Report {
    let files = try StarterFiles.project(
      schema: file, from: template?.text ?? PackageResources.starter_ckdb, moderation: template?.moderation,
      below: context.process.foldersInWorkTree())
    if !dryRun { try files.write() }
    let (path, workflow) = (files.files[0].path, files.files[2].path)
    let hasSeeds = SeedFolder.nearest(to: context.process.directory) != nil
    let isOwn = template == nil || template == .empty
    let isKept = files.files.contains { $0.exists && $0.path.hasSuffix("moderation.json") }
    let container = "celestra-admin container init --schema \(path.shellWord)"
    return files.report(
      isWritten: !dryRun,
      next: template == .celestra
        ? [container] + (hasSeeds ? [] : ["celestra-admin seed init"]) + ["celestra-admin seed plan"]
        : ["celestra-admin schema lint \(path.shellWord)", container],
      when: files.files[0].exists
        ? nil
        : isOwn
          ? "when your record types are in \(path)"
          : isKept ? "when moderation.json, which was there before, declares the types of \(path)" : nil,
      remark:
        "For GitHub, replace OWNER/celestra-admin@REF in \(workflow) by the repository and a commit of celestra-admin."
    )
  }
}
