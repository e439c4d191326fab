internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import Platform
internal import RecordChanges

struct SeedPullCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Update the seed files with changes made in the container.",
    discussion: """
      Edits the files in place, editor-owned fields only. What was applied last is the common base: the revision that the \
      container remembers, or --base. Fields that both sides changed are conflicts, listed with status 2; without a base, \
      every changed field is one. Nothing is removed from the files, except retired feeds from collections. \
      Says when each record was changed, and whether this key did it or another user; never who.

      --check is for a nightly job that reports edits made in the container.

      Examples:
        celestra-admin seed pull --only new
        celestra-admin seed pull --base v1.2 --prefer container
        celestra-admin seed pull --check
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Option("Only entries that the files do not have, or only those they have.", word: "new|changed")
  var only: SeedPull.Part?
  @Option("The commit that was applied last. Default: the one that the container remembers.", value: "commit")
  var base: String?
  @Option("Which side wins a conflict.", word: "files|container")
  var prefer: SeedPull.Preference?

  @Flag(help: "Also edit files that have uncommitted changes.") var allowDirty = false
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @Flag(help: "As --dry-run, and end with status 2 if a run would change files or has conflicts.")
  var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedPullCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let found = try await comparison(in: context)
    let isWritten = !dryRun && !check
    if isWritten {
      if !allowDirty {
        // What a pull wrote must not stop the next one, which its conflicts ask for.
        var uncommitted = found.git.uncommitted
        for path in context.filesAsPulled(found.workspace) { uncommitted[path] = nil }
        try found.workspace.requireCommitted(uncommitted)
      }
      let written = try found.workspace.write()
      if !allowDirty, found.git.isInGit { Self.remember(written, in: found.workspace, context) }
      await Self.remember(found.pull, found.workspace.folder, context)
    } else {
      try found.workspace.requireValid()
    }
    return found.pull.report(
      found.workspace, isWritten: isWritten, isCheck: check, authors: found.authors)
  }

  private func comparison(in context: CommandContext) async throws -> (
    pull: SeedPull, workspace: SeedWorkspace, git: SeedFolderGitStatus, authors: ChangeAuthors
  ) {
    guard try !context.hasCloudFeeds else {
      throw CommandFailure(
        "the profile celestra-cloud has no records of categories and collections to pull",
        code: "not-available",
        hint: "'seed plan' shows where its feeds differ from the seeds; edit the seeds by hand.",
        status: .usage)
    }
    let folder = try context.seedFolder(directory)
    let handle = try await context.openContainer()
    let container = handle.container
    async let records = SeedPull.records(in: container)
    var workspace = try SeedWorkspace(folder: folder)
    let git = try await SeedFolderGitStatus(context, folder: folder, files: workspace.files)
    guard git.isInGit || base == nil else {
      throw CommandFailure(
        "there is no commit to compare with: git is not installed, or \(folder) is not in a git work tree",
        code: "no-git-repository")
    }
    if let base { try await git.requireCommit(base) }
    let applied = try await context.appliedSeeds(
      since: base, of: folder, in: container, git, workspace.catalog)
    let gaps = try await context.knownSchema(handle).map {
      SeedSchemaCheck.gaps(in: $0, usesOptional: workspace.catalog.usesOptionalFields)
    }
    var pull = SeedPull(since: applied, preference: prefer, part: only, gaps: gaps ?? [])
    pull.pull(try await records, into: &workspace)
    return (pull, workspace, git, await ChangeAuthors(of: container))
  }

  /// Stores for this clone which files were written. A state folder that cannot be written to does not keep a pull from
  /// succeeding: the next one then asks for a commit.
  private static func remember(
    _ written: [FileEdit], in workspace: SeedWorkspace, _ context: CommandContext
  ) {
    do { try context.rememberPulled(written, in: workspace) } catch {
      context.note(
        "note: commit the files before the next pull, which does not know that this one wrote them: "
          + "\(CommandFailure(error).message)")
    }
  }

  /// Stores in the container which values were pulled, and for this clone that it has them. A container that cannot be
  /// written to does not keep a pull from succeeding: the next plan then only knows the last apply.
  private static func remember(_ pull: SeedPull, _ folder: String, _ context: CommandContext) async {
    guard !pull.taken.isEmpty else { return }
    do {
      let runner = try await JobRunner(context, writing: true)
      let schema = try await context.knownSchema(runner.handle)
      try await runner.write(WritingJob("seed pull", lease: .seed), schema: schema) { writer in
        try context.remember(pull.taken, ofSeeds: folder)
        writer.lastRun = LastSeedApply(try await LastJobRun.last(of: .seed, in: runner.container))
          .adding(pull.taken, at: context.now)
      }
    } catch {
      context.note("note: the container does not remember what was pulled: \(CommandFailure(error).message)")
    }
  }
}
