internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import HTTPTransport

struct SeedImport: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Add the feeds of an OPML file to the seed files.",
    discussion: """
      Reads OPML 1.0 to 2.0 from any feed reader and writes entries into the seed files, never records. Feeds that the \
      catalog has are left alone. With the default, auto, the deepest folder that is a category is the feed's category, \
      else the deepest becomes a collection; other folders become tags. A near-duplicate is not added; a collection gets \
      the feed that the catalog has. Ends with 3 when outlines have errors.

      Examples:
        celestra-admin seed import feeds.opml --dry-run
        celestra-admin seed import feeds.opml --check --find
        celestra-admin seed import feeds.opml --category entertainment --folders-as tags
      """)

  @Argument(help: "The OPML file, or -.", completion: .file(extensions: ["opml", "xml"])) var file: String
  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Option("What folders become: auto, category, collection, tags or none.", word: "what")
  var foldersAs: OPMLFolderMapping?
  @Option(
    "The category of feeds whose folders name none.", value: "slug", completion: CompletionValues.categories)
  var category: String?
  @Flag(
    help: """
      Take recordName, isVerified and isFeatured from the file, and print each one. Without it they are ignored, because \
      they tie a feed to a record and its readers, or vouch for it.
      """)
  var trustCelestra = false
  @Flag(help: "Look for the feeds of outlines that have only a page.") var find = false
  @Flag(help: "Read each new feed: take its language, site and new address; report dead and stale ones.")
  var check = false
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @Flag(help: .privateAddresses) var allowPrivateAddresses = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedImport>

  func perform(in context: CommandContext) async throws -> any Report {
    var workspace = try SeedWorkspace(folder: try context.seedFolder(directory))
    try workspace.catalog.requireCategory(category)
    let source = try InputFile.source(file)
    let opml = OPMLFile(name: source.name, source.bytes, trusts: trustCelestra)
    var run = OPMLImport(
      opml, catalog: workspace.catalog, mapping: foldersAs ?? .auto, fallback: category, trusts: trustCelestra
    )
    // The library that makes requests takes long to load.
    let transport: (any HTTPTransport)? = try find || check ? context.reporting(CurlTransport()) : nil
    let addresses: IPAddressPolicy = allowPrivateAddresses ? .any : .publicOnly
    let (catalog, now) = (workspace.catalog, context.now)
    let finder = transport.map {
      FeedFinder(transport: $0, addresses: addresses, catalog: catalog, now: now)
    }
    let checker = transport.map { OPMLCheck(transport: $0, addresses: addresses, now: now) }
    try await run.add(
      opml.entries, to: &workspace, finder: find ? finder : nil, check: check ? checker : nil)
    let report = run.report(opml, workspace, isDryRun: dryRun)
    if !dryRun, report.failure == nil { try workspace.write() }
    return report
  }
}

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
