/// The behavior of a demo feed: good, with ordinary problems of the web, or hostile.
public enum DemoBehavior: String, Sendable, Hashable, CaseIterable {
  // Correct feeds; each answers conditional requests with 304.
  case rss20, rss10, atom, jsonFeed, gzip

  // The ordinary problems of the web.
  case movedPermanently, notFound, gone, serverError, malformed, wrongEncoding, htmlPage, slow
  case stale, empty, rateLimited, unavailable

  // Hostile servers, for tests only.
  case truncatedBody, excessBody, endlessBody, slowDrip, redirectLoop, redirectToFile, gzipBomb
  case truncatedGzip, notGzip, botWall, softNotFound, reset, hang, endlessHeaders, notHTTP
  case cutHeaders, longHeader, emptyBody, gzipAndMore
  case longStatus, tinyChunks, endlessChunkExtension, emptyCoding

  // Hostile documents, for tests only: they would cost a careless reader far more than their size.
  case manyAttributes, longAttribute, deepNesting, nulBytes, nulsInText, manyItems, invalidUTF8, truncatedXML
  case billionLaughs, quadraticEntities, externalEntity, externalDTD, endlessReference
  case jsonShape, jsonItems, jsonValues, jsonInOneItem, jsonNesting, truncatedJSON

  /// The status that a first health check with the default thresholds should give. One failure only degrades a feed;
  /// a feed that is gone is down at once.
  public var verdict: ExpectedHealthStatus {
    switch self {
    case .rss20, .rss10, .atom, .jsonFeed, .gzip, .gzipAndMore, .externalDTD: .healthy
    case .gone, .htmlPage, .softNotFound, .nulBytes, .jsonNesting, .jsonValues: .down
    default: .degraded
    }
  }

  /// A few words for the demo's table.
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
    case .slow: "slow response"
    case .stale: "no new items for two years"
    case .empty: "no items"
    case .rateLimited: "429 with Retry-After"
    case .unavailable: "503 with Retry-After"
    case .truncatedBody: "body shorter than its Content-Length"
    case .excessBody: "body longer than its Content-Length"
    case .endlessBody: "endless body"
    case .slowDrip: "one byte at a time"
    case .redirectLoop: "redirects to itself"
    case .redirectToFile: "redirects to a local file"
    case .gzipBomb: "50 MB in 325 kB"
    case .truncatedGzip: "compressed, cut in half"
    case .notGzip: "declared as gzip, but not compressed"
    case .botWall: "403 with a challenge page"
    case .softNotFound: "200 with a page that says not found"
    case .reset: "resets the connection"
    case .hang: "accepts the connection and sends nothing"
    case .endlessHeaders: "endless headers"
    case .notHTTP: "speaks another protocol"
    case .cutHeaders: "connection closed within the headers"
    case .longHeader: "one header of 1 MB"
    case .emptyBody: "200 with an empty body"
    case .gzipAndMore: "compressed, with extra bytes after it"
    case .longStatus: "endless status line"
    case .tinyChunks: "endless chunks of one byte"
    case .endlessChunkExtension: "endless chunk extension"
    case .emptyCoding: "endless gzip of nothing"
    case .manyAttributes: "an element with 20,000 attributes"
    case .longAttribute: "an attribute of 11 MB"
    case .deepNesting: "200,000 nested elements"
    case .nulBytes: "only NUL bytes"
    case .nulsInText: "NUL bytes in texts"
    case .manyItems: "100,000 items"
    case .invalidUTF8: "invalid UTF-8"
    case .truncatedXML: "XML cut off within an item"
    case .billionLaughs: "entities made of entities"
    case .quadraticEntities: "one long entity, used very often"
    case .externalEntity: "an entity that names a local file"
    case .externalDTD: "an external DTD"
    case .endlessReference: "endless references"
    case .jsonShape: "JSON with values of the wrong type"
    case .jsonItems: "JSON with 100,000 items"
    case .jsonValues: "JSON with a million values beside its items"
    case .jsonInOneItem: "JSON with a million values in one item"
    case .jsonNesting: "200,000 nested lists of JSON"
    case .truncatedJSON: "JSON cut off within an item"
    }
  }
}

/// The status that a health check should give a demo feed.
public enum ExpectedHealthStatus: String, Sendable, Hashable, CaseIterable {
  case healthy, degraded, down
}
