/// How one demo feed behaves: first as the real web does, then as its worst corners do.
public enum DemoBehaviour: String, Sendable, Hashable, CaseIterable {
  // Well-behaved; each answers conditional requests with 304.
  case rss20, rss10, atom, jsonFeed, gzip

  // The ordinary troubles of the web.
  case movedPermanently, notFound, gone, serverError, malformed, wrongEncoding, htmlPage, slow
  case stale, empty, rateLimited, unavailable

  // The zoo: only tests meet these.
  case truncatedBody, excessBody, endlessBody, slowDrip, redirectLoop, redirectToFile, gzipBomb
  case truncatedGzip, notGzip, botWall, softNotFound, reset, hang, endlessHeaders, notHTTP
  case cutHeaders, longHeader, emptyBody, gzipAndMore
  case longStatus, tinyChunks, endlessChunkExtension, emptyCoding

  /// What a first health check with the default thresholds should say. One failure only degrades a feed
  /// (feeds.md 1.3); what is plainly no feed any more is down at once.
  public var verdict: DemoVerdict {
    switch self {
    case .rss20, .rss10, .atom, .jsonFeed, .gzip: .healthy
    case .gone, .htmlPage, .softNotFound: .down
    default: .degraded
    }
  }

  /// In the words of a report, for people who read the demo's table.
  public var summary: String {
    switch self {
    case .rss20: "RSS 2.0"
    case .rss10: "RSS 1.0"
    case .atom: "Atom 1.0"
    case .jsonFeed: "JSON Feed 1.1"
    case .gzip: "RSS 2.0, compressed"
    case .movedPermanently: "moved permanently"
    case .notFound: "404"
    case .gone: "410"
    case .serverError: "500"
    case .malformed: "ill-formed XML"
    case .wrongEncoding: "declares an encoding it is not in"
    case .htmlPage: "a web page that links to its feed"
    case .slow: "answers late"
    case .stale: "nothing new for two years"
    case .empty: "no items"
    case .rateLimited: "429 with Retry-After"
    case .unavailable: "503 with Retry-After"
    case .truncatedBody: "ends before its announced length"
    case .excessBody: "continues after its announced length"
    case .endlessBody: "never ends"
    case .slowDrip: "one byte at a time"
    case .redirectLoop: "redirects to itself"
    case .redirectToFile: "redirects to a local file"
    case .gzipBomb: "50 MB in 325 kB"
    case .truncatedGzip: "compressed, cut in half"
    case .notGzip: "labelled as compressed, but is not"
    case .botWall: "403 with a challenge page"
    case .softNotFound: "200 with a page that says not found"
    case .reset: "resets the connection"
    case .hang: "accepts and says nothing"
    case .endlessHeaders: "headers without end"
    case .notHTTP: "speaks another protocol"
    case .cutHeaders: "ends within its headers"
    case .longHeader: "one header of 1 MB"
    case .emptyBody: "200 with nothing"
    case .gzipAndMore: "compressed, with something else behind"
    case .longStatus: "a status line without end"
    case .tinyChunks: "chunks of one byte without end"
    case .endlessChunkExtension: "one chunk's extension, without end"
    case .emptyCoding: "compressed nothing, without end"
    }
  }
}

/// What a health check should make of a demo feed.
public enum DemoVerdict: String, Sendable, Hashable, CaseIterable {
  case healthy, degraded, down
}
