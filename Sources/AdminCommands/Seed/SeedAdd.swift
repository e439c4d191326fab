internal import ArgumentParser
internal import Catalog
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
      is touched, and no container is needed. A feed that is in the catalog already is not added. Of several sites, all \
      or none are added. Prints the feed that it took and the others that it found, and warns of feeds of comments, of \
      feeds without news for a year, and of an uncertain language. On a terminal it asks for the category and for one of \
      several feeds, and offers to make a collection.

      Examples:
        celestra-admin seed add jvns.ca --category technology
        celestra-admin seed add example.com --category news --collection morning-news --tag politics
      """)

  @Argument(
    help: """
      Addresses of sites, pages or feeds. If the last one is a folder, it is the seed folder. Default: the nearest \
      folder 'seeds'.
      """, completion: .directory)
  var sites: [String]
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

  /// The sites, and the seed folder if one is given after them. Throws for a folder that cannot be accessed, which would
  /// else be taken for a site.
  private func places() throws(FileFailure) -> (sites: [String], folder: String?) {
    guard sites.count > 1, let last = sites.last, try FileKind(last) == .folder else { return (sites, nil) }
    return (Array(sites.dropLast()), last)
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let (sites, folder) = try places()
    if pick != nil, sites.count > 1 { throw CommandFailure.usage("--pick takes a feed of one site") }
    var workspace = try SeedWorkspace(folder: try context.seedFolder(folder))
    var catalog = workspace.catalog
    let transport = context.reporting(try CurlTransport())
    func addition(_ category: String?, _ made: [String: String], _ pick: Int?) -> FeedAddition {
      FeedAddition(
        category: category, collections: collection, newCollections: made, tags: tag, file: file, pick: pick)
    }
    // A person is asked for the rest when the options and the site are known to be good.
    let proposed = try context.proposals(category: category, collections: collection, of: catalog)
    try addition(category, proposed, pick).check(workspace)
    var (chosen, made) = (category, proposed)
    var added: [AddedFeed] = []
    for site in sites {
      let finder = FeedFinder(
        transport: transport, addresses: allowPrivateAddresses ? .any : .publicOnly, catalog: catalog,
        now: context.now)
      let result = try await finder.find(site)
      let pick = try await context.pick(pick, of: result)
      _ = try addition(category, proposed, pick).choice(of: result, after: added)
      if added.isEmpty {
        chosen = try await context.category(category, of: catalog)
        made = try await context.newCollections(proposed, of: catalog)
      }
      let feed = try addition(chosen, made, pick).add(result, to: &workspace)
      catalog.feeds.append(feed.entry)
      added.append(feed)
    }
    let report = added.report(workspace, isDryRun: dryRun, now: context.now)
    if !dryRun { try workspace.write() }
    return report
  }
}

/// What 'seed add' asks a person for. Scripts are never asked: they get a message that lists what there is.
extension CommandContext {
  /// The titles to propose for collections that do not exist, by slug; none if no person can be asked. Throws without a
  /// category then.
  func proposals(
    category: String?, collections: [String], of catalog: SeedCatalog
  ) throws -> [String: String] {
    guard canAsk else {
      guard category != nil else { throw CommandFailure.needsCategory(of: catalog) }
      return [:]
    }
    let new = collections.filter { slug in
      Slug.isValid(slug) && !catalog.collections.contains { $0.slug == slug }
    }
    return Dictionary(new.map { ($0, Self.title(of: $0)) }) { first, _ in first }
  }

  /// `Best Of Tech` for `best-of-tech`.
  private static func title(of slug: String) -> String {
    slug.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
  }

  func category(_ given: String?, of catalog: SeedCatalog) async throws -> String {
    if let given { return given }
    let slugs = catalog.categories.map(\.slug)
    return try await choose("Which category?", among: catalog.categoryList, values: slugs)
  }

  /// The titles of the collections that a person wants to make, by slug.
  ///
  /// - Parameter proposed: the titles that are made with a plain yes.
  func newCollections(
    _ proposed: [String: String], of catalog: SeedCatalog
  ) async throws -> [String: String] {
    var titles: [String: String] = [:]
    for (slug, title) in proposed.sorted(by: { $0.key < $1.key }) {
      let near = SpellingSuggestion.nearest(to: slug, among: catalog.collections.map(\.slug))
      let guess = near.map { " Did you mean '\($0)'?" } ?? ""
      let answer = try await ask(
        "There is no collection '\(slug)'.\(guess) Make it as '\(title)'? Type y, another title, or nothing to stop:"
      )
      guard !answer.isEmpty, !["n", "no"].contains(answer.lowercased()) else {
        throw CommandFailure.cancelled
      }
      titles[slug] = ["y", "yes"].contains(answer.lowercased()) ? title : answer
    }
    return titles
  }

  /// The number of the feed to take: the one given, or else, of several, the one that a person chooses.
  func pick(_ given: Int?, of result: FeedSearchResult) async throws -> Int? {
    let choices = result.numberedChoices
    guard given == nil, canAsk, choices.count > 1 || result.isElsewhere != nil else { return given }
    let number = try await choose(
      result.isElsewhere.map { "\(result.input) \($0). Which feed of other pages?" } ?? "Which feed?",
      among: choices.map(\.line), values: choices.map { String($0.number) })
    return Int(number)
  }

  /// Asks until one of the values, or its number in the list, is typed. Nothing typed cancels.
  private func choose(_ question: String, among lines: [String], values: [String]) async throws -> String {
    var text: PrintableText = "\(question)\n"
    for (index, line) in lines.enumerated() { text += "  \(index + 1). \(line)\n" }
    try process.console.errors.write(text)
    while true {
      let answer = try await ask(">")
      guard !answer.isEmpty else { throw CommandFailure.cancelled }
      if values.contains(answer), Int(answer) == nil { return answer }
      if let number = Int(answer), values.indices.contains(number - 1) { return values[number - 1] }
      try process.console.errors.write("Type a number from 1 to \(values.count).\n")
    }
  }

  private func ask(_ prompt: PrintableText) async throws -> String {
    let text = prompt.wrapped(to: errorStyle.width, hanging: 0)
    try process.console.errors.write(text + " ")
    let answer = try await process.console.answer() ?? ""
    return answer.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
