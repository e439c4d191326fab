internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import Platform

/// The options of 'seed pull' and 'seed drift'.
struct PullOptions: ParsableArguments {
  @Argument(help: "The seed folder. Default: the nearest folder 'seeds'.", completion: .directory)
  var directory: String?
  @Option(
    help: ArgumentHelp(
      "Only entries that the files do not have, or only those they have.", valueName: "new|changed"),
    completion: .list(SeedPull.Part.allCases.map(\.rawValue)), transform: Choice.parse)
  var only: SeedPull.Part?
  @Option(
    help: ArgumentHelp(
      "The commit that was applied last. Default: the one that the container remembers.", valueName: "commit")
  )
  var base: String?
  @Option(
    help: ArgumentHelp("Which side wins a conflict.", valueName: "files|container"),
    completion: .list(SeedPull.Preference.allCases.map(\.rawValue)), transform: Choice.parse)
  var prefer: SeedPull.Preference?

  /// Compares files and container; nothing is written.
  func run(in context: CommandContext) async throws -> PullRun {
    let folder = try context.seedFolder(directory)
    let container = try await context.handle().container
    async let records = SeedPull.records(in: container)
    var workspace = try SeedWorkspace(folder: folder)
    let git = try await GitSeeds(context.process, folder: folder)
    var notes: [Diagnostic] = []
    var revision = base
    if revision == nil { revision = await LastApply.revision(in: container) }
    var catalog: SeedCatalog?
    if let revision { catalog = try await git.catalog(at: revision, current: workspace.catalog) }
    if catalog == nil, let revision {
      guard base == nil else {
        throw CommandFailure(
          "git has no seeds at '\(revision)' for this folder", code: "not-in-git",
          hint: "Fetch the commit, or name another with --base.")
      }
      notes.append(PullRun.unknownBase(revision))
    }
    var pull = SeedPull(base: catalog, preference: prefer, part: only)
    try pull.pull(try await records, into: &workspace)
    return PullRun(
      pull: pull, workspace: workspace, git: git, base: catalog == nil ? nil : revision, notes: notes)
  }
}

/// A comparison of files and container.
struct PullRun {
  let pull: SeedPull
  let workspace: SeedWorkspace
  let git: GitSeeds
  let base: String?
  let notes: [Diagnostic]

  static func unknownBase(_ revision: String) -> Diagnostic {
    Diagnostic(
      CurationRule.unknownBase,
      "the seeds were last applied at \(revision.prefix(12)), which this clone does not have",
      help: "Fetch it, or name another commit with --base.")
  }

  func report(isDrift: Bool, tellsDifferences: Bool) -> PullReport {
    PullReport(
      pull, workspace, base: base, isDrift: isDrift, tellsDifferences: tellsDifferences, notes: notes)
  }

  /// Throws for files with uncommitted changes, which git could not restore.
  func requireCommitted(unless allowed: Bool) async throws {
    let edited = try workspace.edits().filter { $0.before != nil }.map(\.path)
    guard !allowed, !edited.isEmpty else { return }
    let dirty = try await git.uncommitted()
    let prefix = workspace.folder + "/"
    let hit = edited.filter { dirty.contains($0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0) }
    guard let first = hit.first else { return }
    throw CommandFailure(
      "\(first) has uncommitted changes; nothing was written", details: Array(hit.dropFirst()),
      code: "dirty-files",
      hint: "Commit them first, or add --allow-dirty.")
  }
}
