import DemoFeeds

/// Faults below the document: content codings, and the end of the transfer.
extension DemoBehavior {
  static let codings: [DemoBehavior] = [
    response("coding-utf8", "Content-Encoding: UTF-8") { $0.goodFeed(("Content-Encoding", "UTF-8")) },
    response("coding-aws-chunked", "Content-Encoding: aws-chunked") {
      $0.goodFeed(("Content-Encoding", "aws-chunked"))
    },
    response("gzip-two-members", "gzip of two members") { request in
      var response = request.goodFeed(("Content-Encoding", "gzip"))
      let half = response.body.count / 2
      response.body = Gzip.stored(Array(response.body[..<half])) + Gzip.stored(Array(response.body[half...]))
      return response
    },
    response("gzip-undeclared", "gzip that no header declares") { request in
      var response = request.goodFeed
      response.body = Gzip.stored(response.body)
      return response
    },
    response("gzip-twice", "compressed twice, declared once") { request in
      var response = request.goodFeed(("Content-Encoding", "gzip"))
      response.body = Gzip.stored(Gzip.stored(response.body))
      return response
    },
    response("gzip-damaged", "damaged gzip, but a good body without compression") { request in
      guard request.acceptsGzip else { return request.goodFeed }
      var response = request.goodFeed(("Content-Encoding", "gzip"))
      response.body = Gzip.header + [UInt8](repeating: 0xFF, count: 2000)
      return response
    },
    response("gzip-wrong-checksum", "gzip whose checksum is wrong, whatever is asked for") { request in
      var response = request.goodFeed(("Content-Encoding", "gzip"))
      response.body = Gzip.stored(response.body)
      response.body[response.body.count - 8] ^= 1
      return response
    },
    response("gzip-cut", "the first half of gzip, whatever is asked for") { request in
      var response = request.goodFeed(("Content-Encoding", "gzip"))
      response.body = Array(Gzip.stored(response.body).prefix(response.body.count / 2))
      return response
    },
    response("coding-unreadable", "declared as br, and not even text") { request in
      var response = request.goodFeed(("Content-Encoding", "br"))
      response.body = [UInt8](repeating: 0xFE, count: 2000)
      return response
    },
  ]

  static let transfers: [DemoBehavior] = [
    DemoBehavior("length-too-large", "a whole document, but a larger Content-Length") { request in
      var response = request.goodFeed
      response.announcedLength = response.body.count + 100
      return DemoResponseScript(.send(response.head + response.body), .close)
    },
    DemoBehavior("no-last-chunk", "a whole document, but no last chunk") { request in
      let body = Array(request.text.rss20.utf8)
      let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nTransfer-Encoding: chunked\r\n\r\n"
        + String(body.count, radix: 16) + "\r\n"
      return DemoResponseScript(.send(Array(head.utf8) + body + Array("\r\n".utf8)), .close)
    },
    DemoBehavior("stays-open", "a whole document on a connection that stays open") { request in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n\r\n"
      return DemoResponseScript(.send(Array(head.utf8) + request.goodFeed.body), .hang)
    },
    response("etag-empty", "an empty ETag") { request in
      request.ifNoneMatch == "" ? DemoResponse("400 Bad Request") : request.goodFeed(("ETag", ""))
    },
    DemoBehavior("etag-latin1", "an ETag with a letter in Latin-1") { request in
      let response = request.goodFeed(("ETag", "\"caf?\""))
      let head = response.head.map { $0 == UInt8(ascii: "?") ? 0xE9 : $0 }
      return DemoResponseScript(.send(head + response.body))
    },
    response("feed-too-large", "a good feed larger than the limit") { $0.feed(ofBytes: 1_200_000) },
  ]

  static let statuses: [DemoBehavior] = [
    response("status-203", "203 with a good feed") {
      $0.goodFeed(status: "203 Non-Authoritative Information")
    },
    response("status-206-whole", "206 with the whole feed") { request in
      let size = request.goodFeed.body.count
      return request.goodFeed(("Content-Range", "bytes 0-\(size - 1)/\(size)"), status: "206 Partial Content")
    },
    response("status-206-part", "206 with a part of the feed") { request in
      let size = request.goodFeed.body.count
      var response = request.goodFeed(
        ("Content-Range", "bytes 0-\(size / 2 - 1)/\(size)"), status: "206 Partial Content")
      response.body.removeLast(size - size / 2)
      return response
    },
    response("status-204", "204") { _ in DemoResponse("204 No Content") },
    response("status-401", "401") { _ in page("401 Unauthorized", "Sign in") },
    response("status-403", "403 without a word") { _ in DemoResponse("403 Forbidden") },
    response("status-451", "451") { _ in page("451 Unavailable For Legal Reasons", "Not here") },
    response("status-418", "418") { _ in DemoResponse("418 I'm a teapot") },
    response("status-502", "502") { _ in page("502 Bad Gateway", "Bad gateway") },
    response("status-503", "503 without Retry-After") { _ in page("503 Service Unavailable", "Busy") },
    response("status-429", "429 without Retry-After") { _ in DemoResponse("429 Too Many Requests") },
    response("retry-after-huge", "429 with a Retry-After of 20 digits") { _ in
      DemoResponse("429 Too Many Requests", [("Retry-After", "99999999999999999999")])
    },
  ]

  static let redirects: [DemoBehavior] = [
    response("cookie-redirect", "redirects to itself until its cookie comes back") { request in
      guard request.cookie?.contains("seen=1") != true else { return request.goodFeed }
      return DemoResponse(
        "302 Found", [("Location", request.site + "feed.xml"), ("Set-Cookie", "seen=1; Path=/; HttpOnly")])
    },
    response("six-redirects", "six redirects, then a good feed") { $0.hop(of: 6) },
    response("eleven-redirects", "eleven redirects, then a good feed") { $0.hop(of: 11) },
    response("location-empty", "a redirect with an empty Location") { _ in
      DemoResponse("302 Found", [("Location", "")])
    },
    response("location-missing", "a redirect without Location") { _ in DemoResponse("302 Found") },
  ]
}

extension DemoRequest {
  /// A well-formed feed of about this size, with a long description.
  fileprivate func feed(ofBytes size: Int) -> DemoResponse {
    var response = goodFeed
    let end = "</channel></rss>\n".utf8.count
    let filler =
      Array("<copyright>".utf8) + [UInt8](repeating: 0x61, count: 1000) + Array("</copyright>\n".utf8)
    let copies = (size - response.body.count) / filler.count
    response.body.insert(
      contentsOf: Array(repeatElement(filler, count: copies).joined()), at: response.body.count - end)
    return response
  }

  /// `/feed.xml`, `/hop-1`, `/hop-2`, ...
  fileprivate func hop(of count: Int) -> DemoResponse {
    let done = Int(path.dropFirst("/hop-".count)) ?? 0
    return done >= count ? goodFeed : DemoResponse("302 Found", [("Location", "\(site)hop-\(done + 1)")])
  }
}
