internal import XMLReading

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
    "www.rssboard.org/rss-specification": .core, "purl.org/net/rss1.1": .core, "example.com/necho": .core,
    "purl.org/echo": .core, "uri/of/echo/namespace": .core, "purl.org/pie": .core,
    "www.w3.org/1999/02/22-rdf-syntax-ns": .core, "purl.org/rss/1.0/modules/content": .content,
    "purl.org/dc/elements/1.1": .dublinCore, "purl.org/dc/elements/1.0": .dublinCore,
    "purl.org/dc/terms": .dublinCoreTerms, "www.itunes.com/dtds/podcast-1.0.dtd": .itunes,
    "example.com/dtds/podcast-1.0.dtd": .itunes, "www.google.com/schemas/play-podcasts/1.0": .itunes,
    "search.yahoo.com/mrss": .media, "video.search.yahoo.com/mrss": .media,
    "purl.org/rss/1.0/modules/syndication": .syndication, "www.w3.org/1999/xhtml": .xhtml,
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

enum ElementVocabulary {
  static func meaning(of name: String, in namespace: FeedNamespace) -> ElementMeaning {
    tables[namespace]?[name] ?? .unknown
  }

  private static let tables: [FeedNamespace: [String: ElementMeaning]] = [
    .core: core, .content: content, .dublinCore: dublinCore, .dublinCoreTerms: dublinCoreTerms,
    .itunes: itunes, .media: media, .syndication: syndication, .xhtml: xhtml,
  ]

  private static let core: [String: ElementMeaning] = [
    "rss": .init(.rss), "rdf": .init(.rdf), "feed": .init(.atomFeed), "html": .init(.html),
    "channel": .init(.channel), "items": .init(.items), "item": .init(.item), "entry": .init(.item),
    "image": .init(.image), "textinput": .init(.textInput), "textarea": .init(.textInput),
    "source": .init(.source), "title": .init(.title), "link": .init(.link), "guid": .init(.id),
    "id": .init(.id, 1), "description": .init(.description), "subtitle": .init(.description, 1),
    "tagline": .init(.description, 1), "abstract": .init(.description, 1), "info": .init(.description, 2),
    "summary": .init(.summary, 1), "content": .init(.content, 1), "body": .init(.content, 2),
    "fullitem": .init(.content, 2), "author": .init(.author), "managingeditor": .init(.author),
    "webmaster": .init(.author, 9), "contributor": .init(.contributor), "name": .init(.personName),
    "email": .init(.personEmail), "uri": .init(.personLink), "homepage": .init(.personLink),
    "pubdate": .init(.published), "published": .init(.published, 1), "issued": .init(.published, 1),
    "created": .init(.published, 4), "lastbuilddate": .init(.updated), "updated": .init(.updated, 1),
    "modified": .init(.updated, 1), "lastmod": .init(.updated, 2), "date": .init(.published, 6),
    "language": .init(.language), "url": .init(.url), "logo": .init(.logo, 1), "icon": .init(.icon, 3),
    "enclosure": .init(.enclosure), "category": .init(.category), "ttl": .init(.ttl),
    "skiphours": .init(.skipHours), "skipdays": .init(.skipDays), "hour": .init(.hour), "day": .init(.day),
    "generator": .init(.generator),
  ]

  private static let content: [String: ElementMeaning] = ["encoded": .init(.content)]

  private static let dublinCore: [String: ElementMeaning] = [
    "title": .init(.title, 2), "description": .init(.description, 3), "creator": .init(.author, 2),
    "author": .init(.author, 2), "publisher": .init(.author, 10), "date": .init(.published, 5),
    "language": .init(.language, 1), "identifier": .init(.id, 5), "subject": .init(.category),
  ]

  private static let dublinCoreTerms: [String: ElementMeaning] = [
    "title": .init(.title, 2), "creator": .init(.author, 2), "issued": .init(.published, 2),
    "available": .init(.published, 3), "created": .init(.published, 4), "modified": .init(.updated, 2),
    "abstract": .init(.description, 3), "date": .init(.published, 5), "language": .init(.language, 1),
  ]

  private static let itunes: [String: ElementMeaning] = [
    "title": .init(.title, 4), "author": .init(.author, 3), "summary": .init(.summary, 4),
    "description": .init(.summary, 4), "subtitle": .init(.description, 6), "owner": .init(.contributor),
    "image": .init(.itunesImage, 2), "link": .init(.link, 3), "block": .init(.unknown),
    "new-feed-url": .init(.newFeedURL), "complete": .init(.complete),
  ]

  private static let media: [String: ElementMeaning] = [
    "group": .init(.mediaGroup), "content": .init(.mediaContent), "thumbnail": .init(.mediaContent, 1),
    "title": .init(.title, 3), "description": .init(.description, 7), "credit": .init(.unknown),
  ]

  private static let syndication: [String: ElementMeaning] = [
    "updateperiod": .init(.updatePeriod), "updatefrequency": .init(.updateFrequency),
  ]

  private static let xhtml: [String: ElementMeaning] = [
    "html": .init(.html), "body": .init(.content, 2), "div": .init(.content, 3),
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
