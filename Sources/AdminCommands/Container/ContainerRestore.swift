internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer

/// The command `container restore`.
struct ContainerRestore: AdminCommand {
  static let title = "container restore"
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace a local container's content by a backup's.",
    discussion: """
      Replaces both environments, schemas included, in one step. A container that does not exist yet is created. The \
      backup is checked first; a damaged one changes nothing. The named risk, in production, is data-loss.

      Example: celestra-admin container restore before.sqlite --container local:catalog.sqlite
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The file that 'container backup' wrote.", completion: .file()) var path: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerRestore>

  func validate() throws {
    try InputFile.requireNamed(path, "<path>", because: "a backup is a database")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let backup = try await LocalStore(.file(path), access: .readOnly, settings: LocalContainerSettings())
      .info()
    let store = try context.localContainer(writing: !mutation.dryRun, canBeNew: true).store
    let report = RestoreReport(
      path: path, before: try await store.info(), after: backup, isDryRun: mutation.dryRun)
    guard !mutation.dryRun else { return report }
    let isRisky = try context.target.environment == .production && report.before.recordCount > 0
    try await context.confirm(
      "Replace \(counted(report.before.recordCount, "record")) in \(store.name).",
      risks: isRisky ? ["data-loss"] : [], options: mutation)
    try await store.restore(from: path)
    return report
  }
}
