internal import XMLReading

/// The meaning of an element for a feed, independent of its dialect.
enum ElementRole: UInt8 {
  case unknown, html
  case rss, rdf, atomFeed, channel, items, item, image, textInput, source, mediaGroup
  case title, link, id, description, summary, content, author, contributor, personName, personEmail,
    personLink
  case published, updated, language, url, logo, icon, itunesImage, enclosure, mediaContent
  case newFeedURL, complete, category, ttl, updatePeriod, updateFrequency, skipHours, skipDays, hour, day,
    generator

  /// True for texts that may contain HTML.
  var holdsMarkup: Bool { self == .title || self == .description || self == .summary }
}

/// A role and the rank of the element that has it: of two values for one field the lower rank wins, and of equal ranks
/// the first.
struct ElementMeaning: Equatable {
  var role: ElementRole
  var rank: UInt8

  init(_ role: ElementRole, _ rank: UInt8 = 0) {
    self.role = role
    self.rank = rank
  }

  /// From the number that the XML reader stores for the element.
  init(code: UInt16) {
    // Sound, because the reader gives back what `code` returned or 0. A checked conversion is a call for every element.
    self.init(unsafeBitCast(UInt8(code >> 8), to: ElementRole.self), UInt8(code & 0xFF))
  }
  var code: UInt16 { UInt16(role.rawValue) << 8 | UInt16(rank) }

  static let unknown = ElementMeaning(.unknown)
}

/// The namespaces whose elements have a meaning.
enum FeedNamespace {
  case core, content, dublinCore, dublinCoreTerms, itunes, media, syndication, xhtml, other

  /// Keys are addresses in lower case, without the scheme and trailing punctuation, so that common misspellings match.
  private static let addresses: [String: FeedNamespace] = [
    "www.w3.org/2005/atom": .core, "purl.org/atom/ns": .core, "purl.org/rss/1.0": .core,
    "my.netscape.com/rdf/simple/0.9": .core, "channel.netscape.com/rdf/simple/0.9": .core,
    "my.netscape.com/publish/formats/rss-0.9": .core, "my.netscape.com/publish/formats/rss-0.91": .core,
    "backend.userland.com/rss": .core, "backend.userland.com/rss2": .core,
    "blogs.law.harvard.edu/tech/rss": .core, "backend.userland.com/rss091": .core,
    "backend.userland.com/rss092": .core, "cyber.law.harvard.edu/rss/rss.html": .core,
    "www.rssboard.org/rss-specification": .core, "purl.org/net/rss1.1": .core,
    "example.com/necho": .core, "purl.org/echo": .core, "uri/of/echo/namespace": .core,
    "purl.org/pie": .core,
    "www.w3.org/1999/02/22-rdf-syntax-ns": .core,
    "purl.org/rss/1.0/modules/content": .content,
    "purl.org/dc/elements/1.1": .dublinCore, "purl.org/dc/elements/1.0": .dublinCore,
    "purl.org/dc/terms": .dublinCoreTerms,
    "www.itunes.com/dtds/podcast-1.0.dtd": .itunes, "example.com/dtds/podcast-1.0.dtd": .itunes,
    "www.google.com/schemas/play-podcasts/1.0": .itunes,
    "search.yahoo.com/mrss": .media, "video.search.yahoo.com/mrss": .media,
    "purl.org/rss/1.0/modules/syndication": .syndication,
    "www.w3.org/1999/xhtml": .xhtml,
  ]

  /// Prefixes that publishers use without declaring them.
  private static let prefixes: [String: FeedNamespace] = [
    "atom": .core, "a10": .core, "rss": .core, "rdf": .core, "content": .content, "dc": .dublinCore,
    "dcterms": .dublinCoreTerms, "itunes": .itunes, "media": .media, "sy": .syndication, "xhtml": .xhtml,
  ]

  init(address: String?, prefix: String?) {
    if let address {
      // Elements in an unknown default namespace are the dialect's own elements.
      self = Self.known(address) ?? (prefix == nil ? .core : .other)
    } else if let prefix {
      self = Self.prefixes[prefix.lowercased()] ?? .other
    } else {
      self = .core
    }
  }

  /// `nil` for an unknown address.
  static func known(_ address: String) -> FeedNamespace? { addresses[simplified(address)] }

  private static func simplified(_ address: String) -> String {
    var text = address.lowercased().utf8[...]
    text = text.trimming([UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t")])
    for scheme in ["http://", "https://"] where text.starts(with: scheme.utf8) {
      text = text.dropFirst(scheme.utf8.count)
    }
    return String(Substring(text.trimming([UInt8(ascii: "/"), UInt8(ascii: "#")])))
  }
}

extension Substring.UTF8View {
  fileprivate func trimming(_ bytes: [UInt8]) -> Self {
    var text = drop(while: bytes.contains)
    while let last = text.last, bytes.contains(last) { text.removeLast() }
    return text
  }
}

/// The meanings of elements, by namespace and name in lower case.
enum ElementVocabulary {
  static func meaning(of name: String, in namespace: FeedNamespace) -> ElementMeaning {
    tables[namespace]?[name] ?? .unknown
  }

  private static let tables: [FeedNamespace: [String: ElementMeaning]] = [
    .core: core, .content: content, .dublinCore: dublinCore, .dublinCoreTerms: dublinCoreTerms,
    .itunes: itunes, .media: media, .syndication: syndication, .xhtml: xhtml,
  ]

  private static let core: [String: ElementMeaning] = [
    "rss": ElementMeaning(.rss), "rdf": ElementMeaning(.rdf), "feed": ElementMeaning(.atomFeed),
    "html": ElementMeaning(.html),
    "channel": ElementMeaning(.channel), "items": ElementMeaning(.items), "item": ElementMeaning(.item),
    "entry": ElementMeaning(.item),
    "image": ElementMeaning(.image), "textinput": ElementMeaning(.textInput),
    "textarea": ElementMeaning(.textInput),
    "source": ElementMeaning(.source),
    "title": ElementMeaning(.title), "link": ElementMeaning(.link), "guid": ElementMeaning(.id),
    "id": ElementMeaning(.id, 1),
    "description": ElementMeaning(.description), "subtitle": ElementMeaning(.description, 1),
    "tagline": ElementMeaning(.description, 1), "abstract": ElementMeaning(.description, 1),
    "info": ElementMeaning(.description, 2),
    "summary": ElementMeaning(.summary, 1), "content": ElementMeaning(.content, 1),
    "body": ElementMeaning(.content, 2),
    "fullitem": ElementMeaning(.content, 2),
    "author": ElementMeaning(.author), "managingeditor": ElementMeaning(.author),
    "webmaster": ElementMeaning(.author, 9),
    "contributor": ElementMeaning(.contributor), "name": ElementMeaning(.personName),
    "email": ElementMeaning(.personEmail),
    "uri": ElementMeaning(.personLink), "homepage": ElementMeaning(.personLink),
    "pubdate": ElementMeaning(.published), "published": ElementMeaning(.published, 1),
    "issued": ElementMeaning(.published, 1),
    "created": ElementMeaning(.published, 4),
    "lastbuilddate": ElementMeaning(.updated), "updated": ElementMeaning(.updated, 1),
    "modified": ElementMeaning(.updated, 1),
    "lastmod": ElementMeaning(.updated, 2), "date": ElementMeaning(.published, 6),
    "language": ElementMeaning(.language),
    "url": ElementMeaning(.url),
    "logo": ElementMeaning(.logo, 1), "icon": ElementMeaning(.icon, 3),
    "enclosure": ElementMeaning(.enclosure), "category": ElementMeaning(.category),
    "ttl": ElementMeaning(.ttl), "skiphours": ElementMeaning(.skipHours),
    "skipdays": ElementMeaning(.skipDays),
    "hour": ElementMeaning(.hour), "day": ElementMeaning(.day), "generator": ElementMeaning(.generator),
  ]

  private static let content: [String: ElementMeaning] = ["encoded": ElementMeaning(.content)]

  private static let dublinCore: [String: ElementMeaning] = [
    "title": ElementMeaning(.title, 2), "description": ElementMeaning(.description, 3),
    "creator": ElementMeaning(.author, 2), "author": ElementMeaning(.author, 2),
    "publisher": ElementMeaning(.author, 10),
    "date": ElementMeaning(.published, 5), "language": ElementMeaning(.language, 1),
    "identifier": ElementMeaning(.id, 5), "subject": ElementMeaning(.category),
  ]

  private static let dublinCoreTerms: [String: ElementMeaning] = [
    "title": ElementMeaning(.title, 2), "creator": ElementMeaning(.author, 2),
    "issued": ElementMeaning(.published, 2),
    "available": ElementMeaning(.published, 3), "created": ElementMeaning(.published, 4),
    "modified": ElementMeaning(.updated, 2), "abstract": ElementMeaning(.description, 3),
    "date": ElementMeaning(.published, 5), "language": ElementMeaning(.language, 1),
  ]

  private static let itunes: [String: ElementMeaning] = [
    "title": ElementMeaning(.title, 4), "author": ElementMeaning(.author, 3),
    "summary": ElementMeaning(.summary, 4),
    "description": ElementMeaning(.summary, 4), "subtitle": ElementMeaning(.description, 6),
    "owner": ElementMeaning(.contributor), "image": ElementMeaning(.itunesImage, 2),
    "link": ElementMeaning(.link, 3),
    "block": ElementMeaning(.unknown), "new-feed-url": ElementMeaning(.newFeedURL),
    "complete": ElementMeaning(.complete),
  ]

  private static let media: [String: ElementMeaning] = [
    "group": ElementMeaning(.mediaGroup), "content": ElementMeaning(.mediaContent),
    "thumbnail": ElementMeaning(.mediaContent, 1),
    "title": ElementMeaning(.title, 3),
    "description": ElementMeaning(.description, 7), "credit": ElementMeaning(.unknown),
  ]

  private static let syndication: [String: ElementMeaning] = [
    "updateperiod": ElementMeaning(.updatePeriod), "updatefrequency": ElementMeaning(.updateFrequency),
  ]

  private static let xhtml: [String: ElementMeaning] = [
    "html": ElementMeaning(.html), "body": ElementMeaning(.content, 2), "div": ElementMeaning(.content, 3),
  ]
}

extension XMLElement {
  var meaning: ElementMeaning { ElementMeaning(code: code) }

  /// The name as written in HTML: XHTML names without a prefix, others with theirs.
  var markupName: String {
    guard let prefix, FeedNamespace(address: namespace, prefix: prefix) != .xhtml else { return localName }
    return "\(prefix):\(localName)"
  }

  /// The RSS dialect in RDF that a namespace declared here names; `nil` when none does, because other documents use
  /// RDF as well.
  var rdfDialect: FeedFormat? {
    var dialect: FeedFormat?
    forEachNamespace { _, address in
      guard dialect == nil else { return }
      if address.contains("rdf/simple/0.9") || address.contains("formats/rss-0.9") {
        dialect = .rss090
      } else if FeedNamespace.known(address) == .core, address.contains("rss") {
        dialect = .rss10
      }
    }
    return dialect
  }
}
