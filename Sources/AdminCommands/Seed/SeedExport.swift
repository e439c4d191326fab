internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics

struct SeedExport: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.opml, .json]
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the seeds as OPML for feed readers.",
    discussion: """
      Equal seeds give equal files: there is no date unless you ask for it. 'seed import' of the file gives the same \
      feeds back, each text on one line, and of collections the slug, the title and the feeds. JSON has every key \
      except defaults, without the envelope of other commands.

      Examples:
        celestra-admin seed export --output celestra.opml
        celestra-admin seed export --collection best-of-tech
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Option("Only the feeds of a category.", value: "slug", completion: CompletionValues.categories)
  var category: String?
  @Option(
    "Only the feeds of a collection, in its order.", value: "slug", completion: CompletionValues.collections)
  var collection: String?
  @Flag(help: "Write the date of the export.") var date = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedExport>

  func perform(in context: CommandContext) async throws -> any Report {
    let (catalog, findings) = try SeedCatalog.loaded(from: try context.seedFolder(directory))
    return try SeedExportReport(
      catalog, category: category, collection: collection, date: date ? context.now : nil,
      notes: findings)
  }
}
