internal import ArgumentParser
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport
internal import PositionedJSON

struct FeedInspect: AdminCommand {
  static let title = "feed inspect"
  static let formats: [OutputFormat] = [.jsonl, .json, .text]
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Print what feeds say, an object each.",
    discussion: """
      An input is a file, a URL, or - for standard input. Inputs are read one after the other, in their order; one \
      that cannot be read or is no feed is reported in its place.

      Example: celestra-admin feed inspect https://example.com/feed.xml --format text
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "Files, URLs, or -.") var inputs: [String]
  @Flag(help: "Let URLs lead to private addresses.") var allowPrivateAddresses = false
  @Option(help: ArgumentHelp("The Content-Type that files are to be read as.", valueName: "type"))
  var contentType: String?

  func perform(in session: Session) async throws -> CommandResult {
    let reader = FeedInputReader(
      transport: try CurlTransport(), addresses: allowPrivateAddresses ? .any : .publicOnly,
      contentType: contentType)
    guard session.format == .jsonl else { return try await collected(reader) }
    let sink = try LineSink(path: common.outputFile, console: session.world.console)
    for input in inputs {
      try Task.checkCancellation()
      try await reader.inspect(input).write(to: sink)
    }
    try sink.finish()
    return CommandResult(json: [:]) { _, _ in nil }
  }

  private func collected(_ reader: FeedInputReader) async throws -> CommandResult {
    var feeds: [JSONValue] = []
    for input in inputs { feeds.append(await reader.inspect(input).json) }
    return CommandResult(json: ["feeds": .array(feeds)]) { [feeds] _, style in
      feeds.map { FeedSummary($0, style).text }.joined(separator: "\n")
    }
  }
}

/// Reads and parses one input at a time; every input ends in an object.
struct FeedInputReader {
  let transport: any HTTPTransport
  let addresses: AddressPolicy
  /// For files; a server says its own.
  let contentType: String?

  func inspect(_ input: String) async -> InspectedFeed {
    do {
      return input.hasPrefix("http://") || input.hasPrefix("https://")
        ? try await fetched(input)
        : try read(input)
    } catch let failure as HTTPFailure {
      return unreadable(input, "unreachable", failure.message)
    } catch {
      return unreadable(input, "unreadable", CommandFailure(error).message)
    }
  }

  /// No further than the parser wants, and without ever holding the file twice.
  private func read(_ path: String) throws -> InspectedFeed {
    var parser = FeedParser(contentType: contentType)
    try InputFile.readPieces(path) { parser.feed($0) }
    return .parsed(parser.finish(), input: path)
  }

  private func fetched(_ url: String) async throws -> InspectedFeed {
    let limits = HTTPLimits(maxRedirects: 5)
    let response = try await transport.send(HTTPRequest(url: url, limits: limits, addressPolicy: addresses))
    guard (200..<300).contains(response.status) else {
      return unreadable(url, "http-status", "the server answered \(response.status)")
    }
    let feed = FeedParser.parse(
      response.body, contentType: response.headers["Content-Type"], baseURL: response.finalURL)
    return .parsed(feed, input: url)
  }

  private func unreadable(_ input: String, _ code: String, _ message: String) -> InspectedFeed {
    .unreadable([
      "input": .string(input), "format": "unknown", "wellFormed": false, "recovered": false, "items": [],
      "diagnostics": [["code": .string(code), "severity": "error", "message": .string(message)]],
    ])
  }
}

/// What became of one input.
enum InspectedFeed {
  case parsed(ParsedFeed, input: String)
  case unreadable(JSONValue)

  var json: JSONValue {
    switch self {
    case .parsed(let feed, let input): feed.json(input: input)
    case .unreadable(let json): json
    }
  }

  /// The same as one line of text.
  func write(to sink: LineSink) throws {
    switch self {
    case .parsed(let feed, let input): try feed.writeJSON(input: input, to: sink.append)
    case .unreadable(let json): try sink.append(json.text())
    }
    try sink.append("\n")
  }
}

/// A parsed feed for a person.
struct FeedSummary {
  let text: String

  init(_ feed: JSONValue, _ style: Style) {
    func shown(_ value: JSONValue?, or absent: String = "") -> String {
      (value?.string ?? absent).printableLine
    }
    let items = feed["items"]?.array ?? []
    var text = "\(style.bold(shown(feed["title"], or: "(no title)")))  \(shown(feed["input"]))\n"
    text += "  \(feed["format"]?.string ?? "unknown"), \(items.count) items"
    text += feed["encoding"]?.string.map { ", \($0)\n" } ?? "\n"
    for item in items.prefix(5) {
      let date = (item["published"] ?? item["updated"])?.string ?? "no date"
      text += "  \(style.dim(date))  \(shown(item["title"], or: "(no title)"))\n"
    }
    for finding in feed["diagnostics"]?.array ?? [] {
      text += "  \(style.yellow(shown(finding["code"]))): \(shown(finding["message"]))\n"
    }
    self.text = text
  }
}
