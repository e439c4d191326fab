internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import HTTPTransport
internal import Platform

struct SeedAdd: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Find a site's feed and add it to the seed files.",
    discussion: """
      Finds the feed as 'feed find' does and writes its entry into the file of the category. Nothing else in the files \
      is touched, and no container is needed. A feed that is in the catalog already is not added. Prints the feed that \
      it took and the others that it found, and warns of feeds of comments, of feeds without news for a year, and of an \
      uncertain language. On a terminal it asks for the category and for one of several feeds, and offers to make a \
      collection.

      Examples:
        celestra-admin seed add jvns.ca --category technology
        celestra-admin seed add example.com --category news --collection morning-news --tag politics
      """)

  @Argument(help: "The address of a site, a page or a feed.") var site: String
  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Option(
    "The feed's category. Needed unless a person can be asked.", value: "slug",
    completion: CompletionValues.categories)
  var category: String?
  @Option("Also put it at the end of a collection.", value: "slug", completion: CompletionValues.collections)
  var collection: [String] = []
  @Option("A tag in lower case.", value: "tag", completion: CompletionValues.tags) var tag: [String] = []
  @Option("The file to write to: feeds/NAME.json.", value: "file", completion: .file()) var file: String?
  @Option("Which of several feeds to take, by its number in 'feed find'.", value: "number") var pick: Int?
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @Flag(help: .privateAddresses) var allowPrivateAddresses = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedAdd>

  func validate() throws {
    if let directory, try FileKind(directory) != .folder {
      throw ValidationError("seed add takes one site, and '\(directory)' is not a seed folder")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    var workspace = try SeedWorkspace(folder: try context.seedFolder(directory))
    let finder = FeedFinder(
      transport: context.reporting(try CurlTransport()),
      addresses: allowPrivateAddresses ? .any : .publicOnly,
      catalog: workspace.catalog, now: context.now)
    func addition(_ category: String?, _ made: [String: String], _ pick: Int?) -> FeedAddition {
      FeedAddition(
        category: category, collections: collection, newCollections: made, tags: tag, file: file, pick: pick)
    }
    // A person is asked for the rest when the options and the site are known to be good.
    let proposed = try context.proposals(category: category, collections: collection, of: workspace.catalog)
    try addition(category, proposed, pick).check(workspace)
    let result = try await finder.find(site)
    let pick = try await context.pick(pick, of: result)
    _ = try addition(category, proposed, pick).choice(of: result)
    let category = try await context.category(category, of: workspace.catalog)
    let made = try await context.newCollections(proposed, of: workspace.catalog)
    let added = try addition(category, made, pick).add(result, to: &workspace)
    let report = try SeedAddReport(added, workspace, isDryRun: dryRun, now: context.now)
    if !dryRun { try workspace.write() }
    return report
  }
}
