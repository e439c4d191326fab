internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command `schema init`.
struct SchemaInit: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a commented schema, settings and a workflow for GitHub.",
    discussion: """
      The schema is an example of public and private types, roles and relations. The settings are an empty \
      celestra-admin.json, and .github/workflows/schema.yml checks each pull request without a secret; in a git work tree \
      both go into its root. A file that exists is kept. To start with the schema of a container, run 'schema pull' on the \
      file afterwards.

      Example: celestra-admin schema init schema/app.ckdb
      """)

  @Argument(help: "The schema file.", completion: .file(extensions: ["ckdb"])) var file = "schema/app.ckdb"
  @Flag(help: "Show what would be written. Nothing is written.") var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaInit>

  func validate() throws { try SchemaFileFindings.requireFiles([file], for: "schema init") }

  func perform(in context: CommandContext) async throws -> any Report {
    let files = try StarterFiles(schema: file, below: try context.process.foldersInWorkTree())
    if !dryRun { try files.write() }
    return files.report(isWritten: !dryRun)
  }
}
