internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import HTTPTransport

/// The command `seed add`.
struct SeedAdd: AdminCommand {
  static let title = "seed add"
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Find a site's feed and add it to the seed files.",
    discussion: """
      Finds the feed as 'feed find' does and writes its entry into the file of the category. Nothing else in the files \
      is touched, and no container is needed. A feed that is in the catalog already is not added.

      Examples:
        celestra-admin seed add kottke.org --category culture
        celestra-admin seed add example.com --category news --collection daily --tag politics
      """)

  @Argument(help: "The address of a site, a page or a feed.") var site: String
  @Argument(help: "The seed folder. Default: the nearest folder 'seeds'.", completion: .directory)
  var directory: String?
  @Option(help: ArgumentHelp("The feed's category.", valueName: "slug")) var category: String
  @Option(help: ArgumentHelp("Also put it at the end of a collection.", valueName: "slug"))
  var collection: [String] = []
  @Option(help: ArgumentHelp("A tag in lower case.", valueName: "tag")) var tag: [String] = []
  @Option(
    help: ArgumentHelp("The file to write to: feeds/NAME.json.", valueName: "file"), completion: .file())
  var file: String?
  @Option(
    help: ArgumentHelp("Which of several feeds to take, by its number in 'feed find'.", valueName: "number"))
  var pick: Int?
  @Flag(help: "Show what would be written. Nothing is written.") var dryRun = false
  @Flag(help: "Allow addresses in private networks.") var allowPrivateAddresses = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedAdd>

  func perform(in context: CommandContext) async throws -> any Report {
    var workspace = try SeedWorkspace(folder: try context.seedFolder(directory))
    let finder = FeedFinder(
      transport: try CurlTransport(), addresses: allowPrivateAddresses ? .any : .publicOnly,
      catalog: workspace.catalog, now: context.now)
    let addition = FeedAddition(
      category: category, collections: collection, tags: tag, file: file, pick: pick)
    try addition.check(workspace)
    try addition.add(try await finder.find(site), to: &workspace)
    let report = try SeedEditReport(workspace, isDryRun: dryRun)
    if !dryRun { try workspace.write() }
    return report
  }
}
