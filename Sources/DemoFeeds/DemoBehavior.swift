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

  // Documents that would cost a careless reader far more than their size.
  case manyAttributes, longAttribute, deepNesting, nulBytes, nulsInText, manyItems, invalidUTF8, truncatedXML
  case billionLaughs, quadraticEntities, externalEntity, externalDTD, endlessReference
  case jsonShape, jsonItems, jsonValues, jsonInOneItem, jsonNesting, truncatedJSON

  /// What a first health check with the default thresholds should say. One failure only degrades a feed
  /// (feeds.md 1.3); what is plainly no feed any more is down at once.
  public var verdict: DemoVerdict {
    switch self {
    case .rss20, .rss10, .atom, .jsonFeed, .gzip, .manyItems, .jsonItems, .externalDTD: .healthy
    case .gone, .htmlPage, .softNotFound, .nulBytes, .jsonNesting, .jsonValues: .down
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
    case .manyAttributes: "an element with 20,000 attributes"
    case .longAttribute: "an attribute of 11 MB"
    case .deepNesting: "200,000 nested elements"
    case .nulBytes: "nothing but NULs"
    case .nulsInText: "NULs in its texts"
    case .manyItems: "100,000 items"
    case .invalidUTF8: "bytes in no encoding"
    case .truncatedXML: "XML that ends in an item"
    case .billionLaughs: "entities made of entities"
    case .quadraticEntities: "one long entity, very often"
    case .externalEntity: "an entity that is a local file"
    case .externalDTD: "a DTD elsewhere"
    case .endlessReference: "ampersands without end"
    case .jsonShape: "JSON of another shape"
    case .jsonItems: "JSON of 100,000 items"
    case .jsonValues: "JSON of a million values beside its items"
    case .jsonInOneItem: "JSON of a million values in one item"
    case .jsonNesting: "200,000 nested lists of JSON"
    case .truncatedJSON: "JSON that ends in an item"
    }
  }
}

/// What a health check should make of a demo feed.
public enum DemoVerdict: String, Sendable, Hashable, CaseIterable {
  case healthy, degraded, down
}
