import DemoFeeds
import Platform

/// Other documents at the feed's address, and feeds with something odd in them.
extension DemoBehavior {
  static let pages: [DemoBehavior] = [
    response("page-maintenance", "a page that says maintenance, 200") { _ in
      page("200 OK", "Scheduled maintenance", body: "<p>We will be back soon.</p>")
    },
    response("page-captcha-script", "an ordinary page with a captcha script") { _ in
      page(
        "200 OK", "Welcome", head: "<script src=\"https://www.google.com/recaptcha/api.js\"></script>",
        body: "<p>All the news of the week.</p>")
    },
    response("page-comment-form", "an ordinary page with a field for a password") { _ in
      page(
        "200 OK", "Welcome", head: "<link rel=\"stylesheet\" href=\"/s.css\">",
        body: String(repeating: "<p>A long article with a lot to read in it.</p>", count: 100)
          + "<form><input type=\"password\"></form>")
    },
    response("page-link-header", "a page whose Link header names the feed") { request in
      if request.path == "/real.xml" { return request.goodFeed }
      var response = page("200 OK", "Welcome")
      response.headers.append(
        ("Link", "<\(request.site)real.xml>; rel=\"alternate\"; type=\"application/rss+xml\""))
      return response
    },
    response("page-meta-refresh", "a page that refreshes to the feed") { request in
      if request.path == "/real.xml" { return request.goodFeed }
      return page("200 OK", "Moved", head: "<meta http-equiv=\"refresh\" content=\"0; url=/real.xml\">")
    },
    response("page-odd-links", "a page with links to other documents, and one to a feed") { request in
      if request.path == "/real.xml" { return request.goodFeed }
      let type = "type=\"application/rss+xml\""
      return page(
        "200 OK", "Welcome",
        head: """
          <!-- <link rel="alternate" \(type) href="/comment.xml"> -->
          <script>var x = '<link rel="alternate" \(type) href="/script.xml">'</script>
          <link rel="alternate" \(type) href="javascript:alert(1)">
          <link rel="alternate" \(type) href="file:///etc/passwd">
          <link rel="alternate" \(type) href="/feed.xml">
          <link rel="alternate" \(type) title="a > b" href="/real.xml">
          """)
    },
    response("error-object", "an error as JSON, 200") { _ in
      DemoResponse("200 OK", [("Content-Type", "application/json")], #"{"error":"rate limited"}"#)
    },
    response("text-back-soon", "a line of text, 200") { _ in
      DemoResponse("200 OK", [("Content-Type", "text/plain")], "back soon\n")
    },
  ]

  static let documents: [DemoBehavior] = [
    response("utf8-as-latin1", "UTF-8 that its declaration calls ISO-8859-1") { request in
      var response = request.goodFeed
      response.replace("encoding=\"UTF-8\"", with: "encoding=\"ISO-8859-1\"")
      response.replace("All of ", with: "Café, déjà vu: ")
      return response
    },
    response("utf8-as-latin1-header", "UTF-8 that its Content-Type calls ISO-8859-1") { request in
      var response = request.goodFeed
      response.headers = [("Content-Type", "text/xml; charset=iso-8859-1")]
      response.replace("All of ", with: "Café, déjà vu: ")
      return response
    },
    response("bom-against-label", "UTF-8 with a byte order mark that both labels call ISO-8859-1") {
      request in
      var response = request.goodFeed
      response.headers = [("Content-Type", "text/xml; charset=iso-8859-1")]
      response.replace("encoding=\"UTF-8\"", with: "encoding=\"ISO-8859-1\"")
      response.replace("All of ", with: "Café, déjà vu: ")
      response.body.insert(contentsOf: [0xEF, 0xBB, 0xBF], at: 0)
      return response
    },
    response("utf8-as-ascii", "UTF-8 that its declaration calls US-ASCII") { request in
      var response = request.goodFeed
      response.replace("encoding=\"UTF-8\"", with: "encoding=\"us-ascii\"")
      response.replace("All of ", with: "Café, déjà vu: ")
      return response
    },
    response("entities-rss091", "entities of the official RSS 0.91 DTD") { request in
      var response = request.goodFeed
      response.replace(
        "<rss version=\"2.0\">",
        with: """
          <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" \
          "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91">
          """)
      response.replace("All of ", with: "Caf&eacute; f&uuml;r alle: ")
      return response
    },
    response("dates-9999", "only dates in the year 9999") { request in
      var response = request.goodFeed
      response.moveDates { _ in "Fri, 31 Dec 9999 23:59:59 GMT" }
      return response
    },
    response("date-ahead", "old items, and one that is 400 days ahead") { request in
      var response = DemoResponse(
        "200 OK", [("Content-Type", "application/rss+xml")], request.text(age: 900 * 86_400).rss20)
      let ahead = UTCTime.httpDate(secondsSince1970: request.now + 400 * 86_400)
      response.moveDates { $0 == 0 ? ahead : nil }
      return response
    },
    response("json-expired", "a JSON Feed that has expired") { request in
      let text = request.text.jsonFeed.replacing(
        "\"language\"", with: "\"expired\":true,\"language\"", maxReplacements: 1)
      return DemoResponse("200 OK", [("Content-Type", "application/feed+json")], text)
    },
    response("itunes-new-feed-url", "an itunes:new-feed-url") { request in
      if request.path == "/real.xml" { return request.goodFeed }
      var response = request.goodFeed
      response.replace(
        "<language>",
        with: """
          <itunes:new-feed-url xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">\
          \(request.site)real.xml</itunes:new-feed-url><language>
          """)
      return response
    },
    response("one-duplicate-id", "one id of fifty occurs twice") { request in
      var response = request.goodFeed
      let items = (0..<50).map {
        "<item><guid>g\(max(1, $0))</guid><title>t</title><link>\(request.site)\($0)</link></item>"
      }
      response.replace("</channel>", with: items.joined() + "</channel>")
      return response
    },
  ]
}

extension DemoResponse {
  /// Replaces the first occurrence in the body.
  mutating func replace(_ old: String, with new: String) {
    body = Array(String(decoding: body, as: UTF8.self).replacing(old, with: new, maxReplacements: 1).utf8)
  }

  /// Replaces the date of each item, by its position; `nil` keeps it.
  fileprivate mutating func moveDates(_ date: (Int) -> String?) {
    let parts = String(decoding: body, as: UTF8.self).components(around: "<pubDate>", "</pubDate>")
    body = Array(parts.joined(replacing: date).utf8)
  }
}

extension String {
  /// The text cut at each element: what is before it, and its content.
  fileprivate func components(around open: String, _ close: String) -> DatedText {
    let pieces = split(separator: open, omittingEmptySubsequences: false)
    return DatedText(
      open: open, close: close, head: String(pieces[0]),
      rest: pieces.dropFirst().map { piece in
        let sides = piece.split(separator: close, maxSplits: 1, omittingEmptySubsequences: false)
        return (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
      })
  }
}

/// A document cut at its dates.
private struct DatedText {
  let open: String
  let close: String
  let head: String
  let rest: [(date: String, after: String)]

  func joined(replacing date: (Int) -> String?) -> String {
    head + rest.enumerated().map { open + (date($0) ?? $1.date) + close + $1.after }.joined()
  }
}
