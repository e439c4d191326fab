internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import Platform

struct SeedValidate: AdminCommand {
  static let usesContainer = false
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Check a seed folder without any container.",
    discussion: """
      Reports every mistake with its file, line and column, and the nearest spelling.

      Examples:
        celestra-admin seed validate seeds --format github
        celestra-admin seed validate
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedValidate>

  func perform(in context: CommandContext) async throws -> any Report {
    let directory = try context.seedFolder(directory)
    let seeds = SeedLoader(directory: directory).load()
    return FindingsReport(
      seeds.diagnostics, inputs: [directory], failOn: nil,
      summary: seeds.catalog.map(SeedValidate.summary))
  }

  private static func summary(_ catalog: SeedCatalog) -> String {
    let categories = catalog.categories.count
    return (categories == 1 ? "1 category" : "\(categories) categories")
      + ", \(counted(catalog.feeds.count, "feed")), \(counted(catalog.collections.count, "collection"))"
  }
}

extension SeedCatalog {
  /// The catalog of a folder with its warnings and notes. Throws a failure with the findings if there are errors.
  static func loaded(from directory: String) throws -> (SeedCatalog, [Diagnostic]) {
    let seeds = SeedLoader(directory: directory).load()
    return (try seeds.usableCatalog(), seeds.diagnostics)
  }
}

extension LoadedSeeds {
  /// The catalog. Throws a failure with the findings if there are errors.
  ///
  /// - Parameter prunes: also refuses a folder with entries that are not read, because what they declare would be
  ///   deleted.
  func usableCatalog(prunes: Bool = false) throws -> SeedCatalog {
    guard let catalog else {
      throw CommandFailure(
        "the seeds have errors; nothing was planned and nothing was written", code: "bad-seeds",
        diagnostics: diagnostics)
    }
    let unread = diagnostics.filter { $0.code == SeedRule.unexpectedFile.rawValue }
    guard !prunes || unread.isEmpty else {
      throw CommandFailure(
        "--prune was stopped: some entries of the seed folder are not read as seeds; nothing was planned and nothing was written",
        code: "bad-seeds",
        hint:
          "--prune deletes the records that no seed mentions. Rename these entries, or move them out of the folder.",
        diagnostics: unread)
    }
    return catalog
  }
}

struct SeedFormat: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "format", abstract: "Format the seed files.",
    discussion: """
      Two spaces a level, a member a line, keys in the usual order, short lists on one line. The content stays as it is, \
      also keys that are not known.

      Example: celestra-admin seed format seeds --check
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Flag(help: "Only name the files that are not formatted; the status is 2 then.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedFormat>

  func perform(in context: CommandContext) async throws -> any Report {
    let folder = try context.seedFolder(directory)
    let edits = try SeedFileFormat.edits(in: folder)
    if !check { try FileEdits.write(edits, in: folder) }
    return SeedFileFormat.report(edits, isCheck: check)
  }
}

extension CommandContext {
  /// The seed folder of a command: the argument, otherwise the nearest folder `seeds`, here or in a parent folder.
  /// Removes what a killed command left there, and says what it did.
  func seedFolder(_ given: String?) throws -> String {
    let folder = try namedSeedFolder(given)
    let left = try FileEdits.removeLeftovers(in: [folder] + SeedFolder.folders.map { "\(folder)/\($0)" })
    if !left.isEmpty {
      alert(
        "note: a command was killed while it wrote to \(folder), and did not replace \(listed(left, upTo: 20)). 'git diff' shows what it did replace. Run it again."
      )
    }
    return folder
  }

  private func namedSeedFolder(_ given: String?) throws -> String {
    if let given {
      hints?.repeatWords(
        [given],
        in: [
          SeedPlanCommand.self, SeedApply.self, SeedValidate.self, SeedPullCommand.self, SeedDuplicates.self,
          SeedMovesCommand.self, SeedFormat.self,
        ])
      return given
    }
    if let nearest = SeedFolder.nearest(to: process.directory) {
      return nearest == "\(process.directory)/\(SeedFolder.name)" ? SeedFolder.name : nearest
    }
    throw CommandFailure(
      "no folder 'seeds' with a categories.json was found here or in a folder above", code: "no-seeds",
      hint: "Name the seed folder as an argument, or make one with 'celestra-admin seed init'.",
      status: .usage)
  }
}
