internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics

/// The command `seed pull`.
struct SeedPullCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Update the seed files with changes made in the container.",
    discussion: """
      Edits the files in place, editor-owned fields only. What was applied last is the common base: the revision that the \
      container remembers, or --base. Fields that both sides changed are conflicts, listed with status 2; without a base, \
      every changed field is one. Nothing is removed from the files.

      Examples:
        celestra-admin seed pull --only new
        celestra-admin seed pull --base v1.2 --prefer container
      """)

  @OptionGroup var options: SeedPullOptions
  @Flag(help: "Also edit files that have uncommitted changes.") var allowDirty = false
  @Flag(help: "Show what would be written. Nothing is written.") var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedPullCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let found = try await options.run(in: context)
    if !dryRun {
      if !allowDirty { try found.workspace.requireCommitted(found.git.uncommitted) }
      try found.workspace.write()
      await context.rememberPulled(found.pull)
    }
    return SeedPullReport(found.pull, found.workspace, isDrift: dryRun, authors: found.authors)
  }
}
