internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import HTTPTransport

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
