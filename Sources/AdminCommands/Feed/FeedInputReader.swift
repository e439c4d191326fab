internal import CommandLine
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport
internal import Platform

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

  /// Reads a file in pieces, until the parser needs no more.
  private func read(_ path: String) throws -> InspectedFeed {
    var parser = FeedParser()
    var size = 0
    try InputFile.readPieces(path) { piece in
      size += piece.count
      return parser.feed(piece)
    }
    return InspectedFeed(input: path, outcome: .parsed(parser.finish()), weight: size)
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
    if feed.format == .unknown {
      let page = WebPage(
        response.body, contentType: contentType, linkHeaders: response.headers.values("Link"),
        url: response.finalURL)
      inspected.feedLinks = page.candidates
    }
    return inspected
  }
}
