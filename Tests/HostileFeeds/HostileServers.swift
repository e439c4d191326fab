package import DemoFeeds

/// Servers that break HTTP or never finish.
extension DemoBehavior {
  package static let truncatedBody = DemoBehavior(
    "truncatedbody", "body shorter than its Content-Length", truncated)
  package static let excessBody = DemoBehavior("excessbody", "body longer than its Content-Length", excess)
  package static let endlessBody = DemoBehavior("endlessbody", "endless body") { _ in
    DemoResponseScript(.send(openHead), .repeatForever(filler, pauseMilliseconds: 0))
  }
  package static let slowDrip = DemoBehavior("slowdrip", "one byte at a time") { _ in
    DemoResponseScript(.send(openHead), .repeatForever([0x20], pauseMilliseconds: 100))
  }
  package static let redirectLoop = response("redirectloop", "redirects to itself") {
    DemoResponse("302 Found", [("Location", $0.site + "feed.xml")])
  }
  package static let redirectToFile = response("redirecttofile", "redirects to a local file") { _ in
    DemoResponse("302 Found", [("Location", "file:///etc/hostname")])
  }
  package static let gzipBomb = DemoBehavior("gzipbomb", "50 MB in 325 kB") { _ in
    declaredGzip(Gzip.bomb(copies: 200_000))
  }
  package static let truncatedGzip = DemoBehavior("truncatedgzip", "compressed, cut in half") {
    declaredGzip(Array(Gzip.stored(Array($0.text.rss20.utf8)).prefix(2000)))
  }
  package static let notGzip = DemoBehavior("notgzip", "declared as gzip, but not compressed") {
    declaredGzip(Array($0.text.rss20.utf8))
  }
  package static let botWall = response("botwall", "403 with a challenge page") { _ in
    page("403 Forbidden", "Checking your browser")
  }
  package static let softNotFound = response("softnotfound", "200 with a page that says not found") { _ in
    page("200 OK", "Page not found")
  }
  package static let reset = DemoBehavior("reset", "resets the connection") { _ in
    DemoResponseScript(.send(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8)), .reset)
  }
  package static let hang = DemoBehavior("hang", "accepts the connection and sends nothing") { _ in
    DemoResponseScript(.hang)
  }
  package static let endlessHeaders = DemoBehavior("endlessheaders", "endless headers") { _ in
    DemoResponseScript(
      .send(Array("HTTP/1.1 200 OK\r\n".utf8)),
      .repeatForever(
        Array(repeatElement("X-More: \(String(repeating: "a", count: 900))\r\n", count: 16).joined().utf8),
        pauseMilliseconds: 0))
  }
  package static let notHTTP = DemoBehavior("nothttp", "speaks another protocol") { _ in
    DemoResponseScript(.send(Array("220 mail.example ESMTP ready\r\n".utf8)), .close)
  }
  package static let cutHeaders = DemoBehavior("cutheaders", "connection closed within the headers") { _ in
    DemoResponseScript(.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/x".utf8)), .close)
  }
  package static let longHeader = response("longheader", "one header of 1 MB") { _ in
    DemoResponse("200 OK", [("X-More", String(repeating: "a", count: 1 << 20))])
  }
  package static let emptyBody = response("emptybody", "200 with an empty body") { _ in
    DemoResponse("200 OK", [("Content-Type", "application/rss+xml")])
  }
  package static let gzipAndMore = DemoBehavior("gzipandmore", "compressed, with extra bytes after it") {
    declaredGzip(Gzip.stored(Array($0.text.rss20.utf8)) + Array("and more".utf8))
  }
  package static let longStatus = DemoBehavior("longstatus", "endless status line") { _ in
    forever("HTTP/1.1 200 ", "a")
  }
  package static let tinyChunks = DemoBehavior("tinychunks", "endless chunks of one byte") { _ in
    forever(chunkedHead, "1\r\n \r\n")
  }
  package static let endlessChunkExtension = DemoBehavior("endlesschunkextension", "endless chunk extension")
  {
    _ in forever(chunkedHead + "1;", "a")
  }
  package static let emptyCoding = DemoBehavior("emptycoding", "endless gzip of nothing") { _ in
    forever(gzipHead + Gzip.header, [0, 0, 0, 0xFF, 0xFF])
  }

  static let servers = [
    truncatedBody, excessBody, endlessBody, slowDrip, redirectLoop, redirectToFile, gzipBomb, truncatedGzip,
    notGzip, botWall, softNotFound, reset, hang, endlessHeaders, notHTTP, cutHeaders, longHeader, emptyBody,
    gzipAndMore, longStatus, tinyChunks, endlessChunkExtension, emptyCoding,
  ]

  /// Headers without a length: the body ends with the connection.
  private static let openHead = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nConnection: close\r\n\r\n<rss version=\"2.0\">"
      .utf8)

  private static let gzipHead = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nContent-Encoding: gzip\r\n\r\n".utf8)

  private static let chunkedHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nTransfer-Encoding: chunked\r\n\r\n"

  /// Sends the piece again and again, 10,000 copies at a time.
  private static func forever(_ start: [UInt8], _ piece: [UInt8]) -> DemoResponseScript {
    let pieces = Array(repeatElement(piece, count: 10_000).joined())
    return DemoResponseScript(.send(start), .repeatForever(pieces, pauseMilliseconds: 0))
  }

  private static func forever(_ start: String, _ piece: String) -> DemoResponseScript {
    forever(Array(start.utf8), Array(piece.utf8))
  }

  private static let filler = [UInt8](repeating: 0x20, count: 64 << 10)

  @Sendable private static func truncated(_ request: DemoRequest) -> DemoResponseScript {
    var response = request.feedResponse(request.text.rss20, "application/rss+xml")
    response.announcedLength = response.body.count
    response.body.removeLast(response.body.count / 2)
    return DemoResponseScript(.send(response.head + response.body), .close)
  }

  @Sendable private static func excess(_ request: DemoRequest) -> DemoResponseScript {
    var response = request.feedResponse(request.text.rss20, "application/rss+xml")
    response.announcedLength = response.body.count / 2
    return DemoResponseScript(.send(response.head + response.body), .close)
  }

  private static func declaredGzip(_ bytes: [UInt8]) -> DemoResponseScript {
    var response = DemoResponse(
      "200 OK", [("Content-Type", "application/rss+xml"), ("Content-Encoding", "gzip")])
    response.body = bytes
    return DemoResponseScript(.send(response.head + response.body), .close)
  }
}
