@testable import HTTPTransport

/// A web of a few documents in memory. An address that is not in it is 404; redirects are followed as the real
/// transport does.
struct MemoryWeb: HTTPTransport {
  struct Document: Sendable {
    var status = 200
    var type: String? = "text/html; charset=utf-8"
    var body: [UInt8] = []
    var headers: [HTTPHeaders.Field] = []
  }

  var documents: [String: Document] = [:]
  /// Hosts that cannot be reached.
  var unreachable: Set<String> = []
  let log = RequestLog()

  mutating func page(_ url: String, _ html: String, headers: [HTTPHeaders.Field] = []) {
    documents[url] = Document(body: Array(html.utf8), headers: headers)
  }

  mutating func feed(_ url: String, _ text: String, type: String = "application/xml") {
    documents[url] = Document(type: type, body: Array(text.utf8))
  }

  mutating func redirect(_ url: String, to target: String, status: Int = 301) {
    documents[url] = Document(status: status, type: nil, headers: [.init("Location", target)])
  }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    var url = request.url
    var redirects: [HTTPResponse.Redirect] = []
    while true {
      guard let parts = URLParts(url), !unreachable.contains("\(parts.scheme)://\(parts.host)") else {
        throw HTTPFailure(.connect, "nothing listens there")
      }
      log.append(url)
      let document = documents[url] ?? Document(status: 404)
      var headers = HTTPHeaders(document.headers)
      if let type = document.type { headers["Content-Type"] = type }
      guard let location = headers["Location"], (300..<400).contains(document.status) else {
        return HTTPResponse(
          status: document.status, headers: headers,
          body: Array(document.body.prefix(request.limits.keptBodyBytes)),
          finalURL: url, redirects: redirects)
      }
      guard redirects.count < request.limits.maxRedirects, let target = URLParts(location, relativeTo: url)
      else {
        throw HTTPFailure(.redirect, "too many redirects")
      }
      redirects.append(HTTPResponse.Redirect(status: document.status, from: url, to: target.text))
      url = target.text
    }
  }
}

/// The addresses that were asked for.
final class RequestLog: @unchecked Sendable {
  private(set) var urls: [String] = []
  func append(_ url: String) { urls.append(url) }
}

/// Feeds of a few items, all of 2026-11-20.
enum SampleFeed {
  static func rss(
    title: String, site: String = "https://site.example/", items: [String] = ["a", "b", "c"],
    language: String? = nil, extra: String = ""
  ) -> String {
    let language = language.map { "<language>\($0)</language>" } ?? ""
    let list = items.map {
      "<item><guid>\($0)</guid><title>\($0)</title><link>\(site)\($0)</link>"
        + "<pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>"
    }.joined()
    return
      "<rss version=\"2.0\"><channel><title>\(title)</title><link>\(site)</link>\(language)\(extra)\(list)"
      + "</channel></rss>"
  }

  static func atom(title: String, site: String = "https://site.example/", items: [String] = ["a", "b", "c"])
    -> String
  {
    let list = items.map {
      "<entry><id>\($0)</id><title>\($0)</title><link href=\"\(site)\($0)\"/>"
        + "<updated>2026-11-20T10:00:00Z</updated></entry>"
    }.joined()
    return "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>\(title)</title><id>x</id>"
      + "<link href=\"\(site)\"/>\(list)</feed>"
  }
}

/// Pictures of which only the header matters.
enum SamplePicture {
  static func png(_ width: UInt8, _ height: UInt8) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, width, 0, 0, 0, height]
  }
}
