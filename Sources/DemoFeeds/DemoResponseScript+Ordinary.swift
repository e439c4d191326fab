/// The scripts of correct feeds and of the ordinary problems of the web.
extension DemoResponseScript {
  init(answering request: DemoRequest) {
    if request.path == "/robots.txt" {
      self = DemoResponse("200 OK", [("Content-Type", "text/plain")], "User-agent: *\nAllow: /\n").script
      return
    }
    self = request.feed.web?.answer(request) ?? Self.ordinary(request) ?? Self.hostile(request)
  }

  private static func ordinary(_ request: DemoRequest) -> DemoResponseScript? {
    switch request.feed.behavior {
    case .rss20: request.feedResponse(request.text.rss20, "application/rss+xml").script
    case .rss10: request.feedResponse(request.text.rss10, "application/rdf+xml").script
    case .atom: request.feedResponse(request.text.atom, "application/atom+xml").script
    case .jsonFeed: request.feedResponse(request.text.jsonFeed, "application/feed+json").script
    case .gzip: compressed(request)
    case .movedPermanently: moved(request)
    case .notFound: page("404 Not Found", "Nothing here").script
    case .gone: page("410 Gone", "This feed has ended").script
    case .serverError: page("500 Internal Server Error", "Something broke").script
    case .malformed: malformed(request)
    case .wrongEncoding: wrongEncoding(request)
    case .htmlPage: htmlPage(request)
    case .slow: late(request)
    case .stale: request.feedResponse(request.text(age: 2 * 365 * 86_400).rss20, "application/rss+xml").script
    case .empty: request.feedResponse(request.text(isEmpty: true).rss20, "application/rss+xml").script
    case .rateLimited: busy("429 Too Many Requests")
    case .unavailable: busy("503 Service Unavailable")
    default: nil
    }
  }

  private static func compressed(_ request: DemoRequest) -> DemoResponseScript {
    var response = request.feedResponse(request.text.rss20, "application/rss+xml")
    guard !response.body.isEmpty else { return response.script }
    response.headers.append(("Content-Encoding", "gzip"))
    response.body = Gzip.stored(response.body)
    return response.script
  }

  private static func moved(_ request: DemoRequest) -> DemoResponseScript {
    guard request.path != "/moved.xml" else {
      return request.feedResponse(request.text.rss20, "application/rss+xml").script
    }
    return DemoResponse("301 Moved Permanently", [("Location", request.site + "moved.xml")]).script
  }

  /// A bare ampersand, an undeclared entity, and no end; lenient readers still get the items.
  private static func malformed(_ request: DemoRequest) -> DemoResponseScript {
    let text = request.text.rss20.replacing(
      "<language>", with: "<copyright>Smith & Sons &copyright;</copyright><language>", maxReplacements: 1)
    let broken = String(text.dropLast("</channel></rss>\n".count))
    return request.feedResponse(broken, "application/rss+xml").script
  }

  /// Declares UTF-8 but is in windows-1252.
  private static func wrongEncoding(_ request: DemoRequest) -> DemoResponseScript {
    var response = request.feedResponse(request.text.rss20, "application/rss+xml; charset=utf-8")
    let latin1 = "Caf\u{E9} cr\u{E8}me, d\u{E9}j\u{E0} vu: ".unicodeScalars.map { UInt8($0.value) }
    let marker = Array("All of ".utf8)
    if let start = response.body.indices.first(where: { response.body[$0...].starts(with: marker) }) {
      response.body.insert(contentsOf: latin1, at: start)
    }
    return response.script
  }

  private static func htmlPage(_ request: DemoRequest) -> DemoResponseScript {
    if request.path == "/real.xml" {
      return request.feedResponse(request.text.atom, "application/atom+xml").script
    }
    let link =
      "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Feed\" href=\"\(request.site)real.xml\">"
    return page("200 OK", "Welcome", head: link).script
  }

  private static func late(_ request: DemoRequest) -> DemoResponseScript {
    var script = request.feedResponse(request.text.rss20, "application/rss+xml").script
    script.steps.insert(.wait(milliseconds: request.slowMilliseconds), at: 0)
    return script
  }

  private static func busy(_ status: String) -> DemoResponseScript {
    DemoResponse(status, [("Retry-After", "7200"), ("Content-Type", "text/plain")], "later\n").script
  }

  static func page(_ status: String, _ text: String, head: String = "") -> DemoResponse {
    DemoResponse(
      status, [("Content-Type", "text/html; charset=utf-8")],
      "<!DOCTYPE html>\n<html><head><title>\(text)</title>\(head)</head><body><h1>\(text)</h1></body></html>\n"
    )
  }
}

extension DemoRequest {
  var text: DemoFeedText { text() }

  func text(age: Int64 = 0, isEmpty: Bool = false) -> DemoFeedText {
    DemoFeedText(slug: feed.slug, title: feed.title, site: site, now: now, age: age, isEmpty: isEmpty)
  }

  /// A feed with its entity tag, or 304 for a client that has it already.
  func feedResponse(_ text: String, _ contentType: String) -> DemoResponse {
    let etag = "\"\(String(stableHash(text.utf8), radix: 16))\""
    guard ifNoneMatch != etag else { return DemoResponse("304 Not Modified", [("ETag", etag)]) }
    return DemoResponse("200 OK", [("Content-Type", contentType), ("ETag", etag)], text)
  }
}
