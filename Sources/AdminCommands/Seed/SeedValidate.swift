internal import ArgumentParser
internal import Catalog
internal import Diagnostics

struct SeedValidate: AdminCommand {
  static let title = "seed validate"
  static let usesContainer = false
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Check a seed folder without any container.",
    discussion: """
      Reports every mistake with its file, line and column, and the nearest spelling.

      Example: celestra-admin seed validate seeds --format github
      """)

  @Argument(help: "The seed folder.", completion: .directory) var directory: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedValidate>

  func perform(in session: Session) async throws -> CommandResult {
    let seeds = SeedLoader(directory: directory).load()
    return .findings(
      seeds.diagnostics, inputs: [directory], status: seeds.diagnostics.hasErrors ? .failed : .done,
      summary: seeds.catalog.map(SeedValidate.summary))
  }

  private static func summary(_ catalog: SeedCatalog) -> String {
    "\(catalog.categories.count) categories, \(catalog.feeds.count) feeds, \(catalog.collections.count) collections"
  }
}

extension SeedCatalog {
  /// The catalog of a folder without errors; a failure that shows the errors otherwise.
  static func loaded(from directory: String) throws -> SeedCatalog {
    let seeds = SeedLoader(directory: directory).load()
    guard let catalog = seeds.catalog else {
      throw CommandFailure(
        "the seeds have errors; nothing was planned and nothing was written", code: "bad-seeds",
        diagnostics: seeds.diagnostics)
    }
    return catalog
  }
}
