/// The scripts of servers that break HTTP or never finish.
extension DemoResponseScript {
  static func hostile(_ request: DemoRequest) -> DemoResponseScript {
    switch request.feed.behavior {
    case .truncatedBody: truncated(request)
    case .excessBody: excess(request)
    case .endlessBody:
      DemoResponseScript(.send(openHead), .repeatForever(filler, pauseMilliseconds: 0))
    case .slowDrip: DemoResponseScript(.send(openHead), .repeatForever([0x20], pauseMilliseconds: 100))
    case .redirectLoop: DemoResponse("302 Found", [("Location", request.site + "feed.xml")]).script
    case .redirectToFile: DemoResponse("302 Found", [("Location", "file:///etc/hostname")]).script
    case .gzipBomb: gzip(Gzip.bomb(copies: 200_000))
    case .truncatedGzip: gzip(Array(Gzip.stored(Array(request.text.rss20.utf8)).prefix(2000)))
    case .notGzip: gzip(Array(request.text.rss20.utf8))
    case .botWall: page("403 Forbidden", "Checking your browser").script
    case .softNotFound: page("200 OK", "Page not found").script
    case .reset: DemoResponseScript(.send(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8)), .reset)
    case .endlessHeaders:
      DemoResponseScript(
        .send(Array("HTTP/1.1 200 OK\r\n".utf8)),
        .repeatForever(
          Array(repeatElement("X-More: \(String(repeating: "a", count: 900))\r\n", count: 16).joined().utf8),
          pauseMilliseconds: 0))
    case .notHTTP: DemoResponseScript(.send(Array("220 mail.example ESMTP ready\r\n".utf8)), .close)
    case .cutHeaders: DemoResponseScript(.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/x".utf8)), .close)
    case .longHeader:
      DemoResponse("200 OK", [("X-More", String(repeating: "a", count: 1 << 20))]).script
    case .emptyBody: DemoResponse("200 OK", [("Content-Type", "application/rss+xml")]).script
    case .longStatus: forever("HTTP/1.1 200 ", "a")
    case .tinyChunks: forever(chunkedHead, "1\r\n \r\n")
    case .endlessChunkExtension: forever(chunkedHead + "1;", "a")
    case .emptyCoding: forever(gzipHead + Gzip.header, [0, 0, 0, 0xFF, 0xFF])
    case .gzipAndMore: gzip(Gzip.stored(Array(request.text.rss20.utf8)) + Array("and more".utf8))
    case .hang: DemoResponseScript(.hang)
    default: HostileDocument(request).response.script
    }
  }

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

  private static func truncated(_ request: DemoRequest) -> DemoResponseScript {
    var response = request.feedResponse(request.text.rss20, "application/rss+xml")
    response.announcedLength = response.body.count
    response.body.removeLast(response.body.count / 2)
    return DemoResponseScript(.send(response.head + response.body), .close)
  }

  private static func excess(_ request: DemoRequest) -> DemoResponseScript {
    var response = request.feedResponse(request.text.rss20, "application/rss+xml")
    response.announcedLength = response.body.count / 2
    return DemoResponseScript(.send(response.head + response.body), .close)
  }

  private static func gzip(_ bytes: [UInt8]) -> DemoResponseScript {
    var response = DemoResponse(
      "200 OK", [("Content-Type", "application/rss+xml"), ("Content-Encoding", "gzip")])
    response.body = bytes
    return DemoResponseScript(.send(response.head + response.body), .close)
  }
}
