internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import HTTPTransport
internal import Platform

struct FeedInspect: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.jsonl, .json, .text]
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Show what is in a feed.",
    discussion: """
      An input is a file, a URL, or - for standard input. Several inputs are read at once and reported in the order given, \
      including those that cannot be read or are not feeds. A URL has 30 seconds. The status is 1 when none could be read.

      Example: celestra-admin feed inspect https://example.com/feed.xml --format text
      """)

  @Argument(help: "Files, URLs, or -.", completion: .file()) var inputs: [String]
  @Flag(help: "Allow URLs with private addresses.") var allowPrivateAddresses = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<FeedInspect>

  func perform(in context: CommandContext) async throws -> any Report {
    let reader = FeedInputReader(
      transport: context.reporting(try CurlTransport()),
      addresses: allowPrivateAddresses ? .any : .publicOnly)
    try context.results.open()
    var (count, unreadable) = (0, 0)
    var feeds: [JSONValue] = []
    try await OrderedTaskPool().run(
      inputs, weight: FeedInputReader.weight, resultWeight: \.weight, reader.inspect
    ) { feed in
      if context.format == .json {
        feeds.append(try feed.json)
      } else {
        try feed.write(isFirst: count == 0, context)
      }
      count += 1
      unreadable += feed.isUnreadable ? 1 : 0
    }
    return PlainReport(
      json: ["feeds": .array(feeds)],
      failure: unreadable < count
        ? nil : CommandFailure("none of the inputs could be read", code: "unreadable-input"))
  }
}

struct FeedFind: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Find the feeds of a web site.",
    discussion: """
      Give an address as you would type it. Every feed is read before it is shown, the best comes first, and feeds of \
      the nearest folder 'seeds' are recognized. One address costs at most 20 requests.

      Examples:
        celestra-admin feed find kottke.org
        celestra-admin feed find https://www.youtube.com/@veritasium --explain
      """)

  @Argument(help: "Addresses of sites, pages or feeds.") var sites: [String]
  @Flag(help: "Show every address that was tried, and the result.") var explain = false
  @Flag(help: .privateAddresses) var allowPrivateAddresses = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<FeedFind>

  func perform(in context: CommandContext) async throws -> any Report {
    let (catalog, notes) = context.nearestCatalog()
    let finder = FeedFinder(
      transport: context.reporting(try CurlTransport()),
      addresses: allowPrivateAddresses ? .any : .publicOnly, catalog: catalog,
      now: context.now)
    var results: [FeedSearchResult] = []
    for site in sites { results.append(try await finder.find(site)) }
    return FeedSearchReport(results, catalog: catalog, explains: explain, notes: notes)
  }
}
