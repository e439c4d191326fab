internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import HTTPTransport

struct SeedDuplicates: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicates", abstract: "Find seeds that probably declare the same feed twice.",
    discussion: """
      Without --fetch addresses, titles, sites and the redirects that health checks saw are compared, and nothing is \
      asked of any site. With --fetch feeds that are alike in one of these are read, and no others: redirects, \
      own addresses and common items prove it. Shows what a merge would change; nothing is merged. \
      "differentFrom": ["slug"] in an entry says that an editor compared the two.

      Examples:
        celestra-admin seed duplicates --fetch
        celestra-admin seed duplicates
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Flag(help: "Fetch the feeds that look alike, and compare them.") var fetch = false
  @Flag(help: .privateAddresses) var allowPrivateAddresses = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedDuplicates>

  func perform(in context: CommandContext) async throws -> any Report {
    let (catalog, _) = try SeedCatalog.loaded(from: try context.seedFolder(directory))
    var search = DuplicateFeedSearch(catalog)
    var notes: [Diagnostic] = []
    do {
      try await search.readRecords(in: context.openContainer().container)
    } catch let error where !(error is CancellationError) {
      notes.append(
        Diagnostic(
          CurationRule.unknownReaders,
          "cannot read the numbers of subscribers: \(CommandFailure(error).message)",
          help: "The feed to keep is chosen without its record."))
    }
    guard fetch else { return search.report(search.likely(), unread: nil, notes: notes) }
    let (pairs, unread) = try await search.proven(
      transport: context.reporting(try CurlTransport()), addresses: allowPrivateAddresses ? .any : .publicOnly
    )
    return search.report(pairs, unread: unread, notes: notes)
  }
}
