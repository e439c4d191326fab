internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedParsing
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

struct InspectedFeed: Sendable {
  enum Outcome {
    case parsed(ParsedFeed)
    case unreadable(code: String, message: String)
  }

  let input: String
  let outcome: Outcome
  /// The size of the document in bytes, as an estimate of the memory that the result needs.
  let weight: Int
  /// The final URL, if the server redirected.
  var redirectedTo: String?

  var isUnreadable: Bool { if case .unreadable = outcome { true } else { false } }

  /// Writes the result as one line of JSON, in parts.
  func writeJSON(to write: (String) throws -> Void) rethrows {
    switch outcome {
    case .parsed(let feed):
      try feed.writeJSON(input: input, beside: ["redirectedTo": redirectedTo?.json], to: write)
    case .unreadable(let code, let message):
      let json: JSONValue = [
        "input": input.json, "format": "unknown", "wellFormed": false, "recovered": false, "items": [],
        "diagnostics": [["code": code.json, "severity": "error", "message": message.json]],
      ]
      try write(json.text())
    }
  }
}

extension InspectedFeed {
  init(input: String, unreadable code: String, _ message: String) {
    self.init(input: input, outcome: .unreadable(code: code, message: message), weight: message.utf8.count)
  }

  var json: JSONValue {
    get throws {
      var text = ""
      writeJSON { text += $0 }
      return try JSONValue(parsing: text)
    }
  }

  /// Writes the result as text, or as a line of JSON.
  func write(isFirst: Bool, _ context: CommandContext) throws {
    if context.format == .text {
      let style = context.common.outputStyle(in: context.process)
      try context.results.append((isFirst ? "" : "\n") + body.text(style))
    } else {
      try writeJSON(to: context.results.append(json:))
      try context.results.append("\n")
    }
    try context.results.flush()
  }

  private static let itemsShown = 5

  @ReportBodyBuilder private var body: ReportBody {
    switch outcome {
    case .unreadable(let code, let message):
      ListItem("\(input, .strong)", details: ["\(code, .bad): \(message)"])
    case .parsed(let feed): ListItem("\(feed.title ?? "(no title)", .strong)  \(input)", details: lines(feed))
    }
  }

  private func lines(_ feed: ParsedFeed) -> [StyledText] {
    let items = feed.items.prefix(Self.itemsShown).map { item -> StyledText in
      "\((item.published ?? item.updated)?.iso8601 ?? "undated", .dim)  \(item.title ?? "(no title)")"
    }
    return ["\(feed.format.rawValue), \(counted(feed.items.count, "item")), \(feed.encoding)"] + items
      + feed.diagnostics.map { "\($0.code, .caution): \($0.message)" }
      + (redirectedTo.map { ["redirected to \($0)"] } ?? [])
  }
}

/// Reads and parses one input: a file, a URL, or `-` for standard input. An unreadable input is a result, too.
struct FeedInputReader: Sendable {
  let transport: any HTTPTransport
  let addresses: IPAddressPolicy

  /// The expected size of an input in memory, in bytes; `nil` if it is unknown before reading.
  static func weight(of input: String) -> Int? {
    guard !isURL(input), let size = (input == "-" ? nil : RegularFile.size(input)) else { return nil }
    return min(size, FeedLimits().bytes)
  }

  private static func isURL(_ input: String) -> Bool {
    let start = input.prefix("https://".count).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  func inspect(_ input: String) async -> InspectedFeed {
    do {
      return Self.isURL(input) ? try await fetched(input) : try read(input)
    } catch let failure as HTTPFailure {
      let advice = failure.kind == .addressForbidden ? "; --allow-private-addresses permits it" : ""
      return InspectedFeed(input: input, unreadable: "unreachable", failure.message + advice)
    } catch {
      return InspectedFeed(input: input, unreadable: "unreadable", CommandFailure(error).message)
    }
  }

  private func read(_ path: String) throws -> InspectedFeed {
    var document: [UInt8] = []
    document.reserveCapacity(Self.weight(of: path) ?? 0)
    try InputFile.readPieces(path) { piece in
      document += piece
      return document.count <= FeedLimits().bytes
    }
    return InspectedFeed(
      input: path, outcome: .parsed(FeedParser.parse(document)), weight: document.count)
  }

  private func fetched(_ url: String) async throws -> InspectedFeed {
    let limits = HTTPLimits(
      totalTimeout: .seconds(30), maxRedirects: 10, maxBodyBytes: FeedLimits().wantedBytes)
    var request = HTTPRequest(url: url, limits: limits, addressPolicy: addresses)
    request.isLenient = true
    let response = try await transport.send(request)
    let contentType = response.headers["Content-Type"]
    let target = response.redirects.last?.to
    guard (200..<300).contains(response.status) else {
      let way = target.map { " after a redirect to \($0)" } ?? ""
      return InspectedFeed(
        input: url, unreadable: "http-status", "the server answered \(response.status)\(way)")
    }
    let feed = FeedParser.parse(response.body, contentType: contentType, baseURL: response.finalURL)
    var inspected = InspectedFeed(input: url, outcome: .parsed(feed), weight: response.body.count)
    inspected.redirectedTo = target
    return inspected
  }
}
