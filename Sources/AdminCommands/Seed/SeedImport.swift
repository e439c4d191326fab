internal import ArgumentParser
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
    let transport = context.reporting(try CurlTransport())
    let addresses: IPAddressPolicy = allowPrivateAddresses ? .any : .publicOnly
    let finder = FeedFinder(
      transport: transport, addresses: addresses, catalog: workspace.catalog, now: context.now)
    let checker = OPMLCheck(transport: transport, addresses: addresses, now: context.now)
    try await run.add(
      opml.entries, to: &workspace, finder: find ? finder : nil, check: check ? checker : nil)
    let report = run.report(opml, workspace, isDryRun: dryRun)
    if !dryRun, report.failure == nil { try workspace.write() }
    return report
  }
}
