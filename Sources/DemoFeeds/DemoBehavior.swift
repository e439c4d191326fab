internal import CZlib

/// What the server of a demo feed does: it serves a good feed, or it has one of the ordinary problems of the web. Tests
/// add servers that are hostile.
package struct DemoBehavior: Sendable, Hashable {
  /// Also the slug of its feed: lower-case letters, digits and dashes.
  package let name: String
  /// A few words for a table.
  package let summary: String
  let answer: @Sendable (DemoRequest) -> DemoResponseScript

  package init(
    _ name: String, _ summary: String, _ answer: @escaping @Sendable (DemoRequest) -> DemoResponseScript
  ) {
    self.name = name
    self.summary = summary
    self.answer = answer
  }

  /// The same for an answer that is one response.
  package static func response(
    _ name: String, _ summary: String, _ response: @escaping @Sendable (DemoRequest) -> DemoResponse
  ) -> DemoBehavior {
    DemoBehavior(name, summary) { response($0).script }
  }

  package static func == (lhs: DemoBehavior, rhs: DemoBehavior) -> Bool { lhs.name == rhs.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Correct feeds, and the ordinary problems of the web.
extension DemoBehavior {
  // Each answers conditional requests with 304.
  package static let rss20 = response("rss20", "RSS 2.0") {
    $0.feedResponse($0.text.rss20, "application/rss+xml")
  }
  package static let rss10 = response("rss10", "RSS 1.0") {
    $0.feedResponse($0.text.rss10, "application/rdf+xml")
  }
  package static let atom = response("atom", "Atom 1.0") {
    $0.feedResponse($0.text.atom, "application/atom+xml")
  }
  package static let jsonFeed = response("jsonfeed", "JSON Feed 1.1") {
    $0.feedResponse($0.text.jsonFeed, "application/feed+json")
  }
  package static let gzip = response("gzip", "RSS 2.0, compressed") { request in
    var response = request.feedResponse(request.text.rss20, "application/rss+xml")
    guard !response.body.isEmpty else { return response }
    response.headers.append(("Content-Encoding", "gzip"))
    response.body = Gzip.stored(response.body)
    return response
  }

  package static let movedPermanently = response("movedpermanently", "moved permanently") {
    $0.path == "/moved.xml"
      ? $0.feedResponse($0.text.rss20, "application/rss+xml")
      : DemoResponse("301 Moved Permanently", [("Location", $0.site + "moved.xml")])
  }
  package static let notFound = response("notfound", "404") { _ in page("404 Not Found", "Nothing here") }
  package static let gone = response("gone", "410") { _ in page("410 Gone", "This feed has ended") }
  package static let serverError = response("servererror", "500") { _ in
    page("500 Internal Server Error", "Something broke")
  }
  /// A bare ampersand, an undeclared entity, and no end; lenient readers still get the items.
  package static let malformed = response("malformed", "ill-formed XML") { request in
    let text = request.text.rss20.replacing(
      "<language>", with: "<copyright>Smith & Sons &copyright;</copyright><language>", maxReplacements: 1)
    return request.feedResponse(String(text.dropLast("</channel></rss>\n".count)), "application/rss+xml")
  }
  /// Declares UTF-8 but is in windows-1252.
  package static let wrongEncoding = response("wrongencoding", "declares an encoding it is not in") {
    request in
    var response = request.feedResponse(request.text.rss20, "application/rss+xml; charset=utf-8")
    let latin1 = "Caf\u{E9} cr\u{E8}me, d\u{E9}j\u{E0} vu: ".unicodeScalars.map { UInt8($0.value) }
    if let start = response.body.firstRange(of: Array("All of ".utf8))?.lowerBound {
      response.body.insert(contentsOf: latin1, at: start)
    }
    return response
  }
  package static let htmlPage = response("htmlpage", "a web page that links to its feed") { request in
    if request.path == "/real.xml" { return request.feedResponse(request.text.atom, "application/atom+xml") }
    let link =
      "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Feed\" href=\"\(request.site)real.xml\">"
    return page("200 OK", "Welcome", head: link)
  }
  package static let slow = DemoBehavior("slow", "slow response") { request in
    var script = request.feedResponse(request.text.rss20, "application/rss+xml").script
    script.steps.insert(.wait(milliseconds: request.slowMilliseconds), at: 0)
    return script
  }
  package static let stale = response("stale", "no new items for two years") {
    $0.feedResponse($0.text(age: 2 * 365 * 86_400).rss20, "application/rss+xml")
  }

  package static func page(_ status: String, _ text: String, head: String = "", body: String = "")
    -> DemoResponse
  {
    DemoResponse(
      status, [("Content-Type", "text/html; charset=utf-8")],
      "<!DOCTYPE html>\n<html><head><title>\(text)</title>\(head)</head><body><h1>\(text)</h1>\(body)</body></html>\n"
    )
  }
}

extension DemoRequest {
  package var text: DemoFeedText { text() }

  package func text(age: Int64 = 0, isEmpty: Bool = false) -> DemoFeedText {
    DemoFeedText(slug: feed.slug, title: feed.title, site: site, now: now, age: age, isEmpty: isEmpty)
  }

  /// A feed with its entity tag, or 304 for a client that has it already.
  package func feedResponse(_ text: String, _ contentType: String) -> DemoResponse {
    let etag = "\"\(String(stableHash(text.utf8), radix: 16))\""
    guard ifNoneMatch != etag else { return DemoResponse("304 Not Modified", [("ETag", etag)]) }
    return DemoResponse("200 OK", [("Content-Type", contentType), ("ETag", etag)], text)
  }
}

/// The parts of RFC 1951 and RFC 1952 that the demo server needs, without a compressor.
package enum Gzip {
  /// Valid gzip of stored blocks, without compression.
  package static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var output = header
    let blocks = stride(from: 0, to: max(1, bytes.count), by: 0xFFFF).map { bytes[$0...].prefix(0xFFFF) }
    for (index, block) in blocks.enumerated() {
      output.append(index == blocks.count - 1 ? 1 : 0)
      output += littleEndian(UInt16(block.count)) + littleEndian(~UInt16(block.count))
      output += block
    }
    let checksum = littleEndian(UInt32(truncatingIfNeeded: crc32_z(0, bytes, z_size_t(bytes.count))))
    return output + checksum + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// A header without name and time.
  package static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian, Array.init)
  }
}
