internal import XMLReading

/// The meaning of an element for a feed, independent of its dialect.
enum Role: UInt8 {
  case unknown, html
  case rss, rdf, atomFeed, channel, items, item, image, textInput, source, mediaGroup
  case title, link, id, description, summary, content, author, contributor, personName, personEmail,
    personLink
  case published, updated, language, url, logo, icon, itunesImage, enclosure, mediaContent
  case newFeedURL, ttl, updatePeriod, updateFrequency, skipHours, skipDays, hour, day

  /// True for texts that may contain HTML.
  var holdsMarkup: Bool { self == .title || self == .description || self == .summary }
}

/// A role and the rank of the element that has it: of two values for one field the lower rank wins, and of equal ranks
/// the first.
struct Meaning: Equatable {
  var role: Role
  var rank: UInt8

  init(_ role: Role, _ rank: UInt8 = 0) {
    self.role = role
    self.rank = rank
  }

  /// From the number that the XML reader stores for the element.
  init(code: UInt16) { self.init(Role(rawValue: UInt8(code >> 8)) ?? .unknown, UInt8(code & 0xFF)) }
  var code: UInt16 { UInt16(role.rawValue) << 8 | UInt16(rank) }

  static let unknown = Meaning(.unknown)
}

/// The namespaces whose elements have a meaning.
enum Namespace {
  case core, content, dublinCore, dublinCoreTerms, itunes, media, syndication, xhtml, other

  /// Keys are addresses in lower case, without the scheme and trailing punctuation, so that common misspellings match.
  private static let addresses: [String: Namespace] = [
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
  private static let prefixes: [String: Namespace] = [
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
  static func known(_ address: String) -> Namespace? { addresses[simplified(address)] }

  private static func simplified(_ address: String) -> String {
    var text = address.lowercased()[...]
    text = text.trimmed { $0 == " " || $0 == "\n" || $0 == "\t" }
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
      text = text.dropFirst(scheme.utf8.count)
    }
    return String(text.trimmed { $0 == "/" || $0 == "#" })
  }
}

extension Substring {
  fileprivate func trimmed(_ isDropped: (Character) -> Bool) -> Substring {
    var text = drop(while: isDropped)
    while let last = text.last, isDropped(last) { text.removeLast() }
    return text
  }
}

/// The meanings of elements, by namespace and name in lower case.
enum Vocabulary {
  static func meaning(of name: String, in namespace: Namespace) -> Meaning {
    let table: [String: Meaning] =
      switch namespace {
      case .core: core
      case .content: content
      case .dublinCore: dublinCore
      case .dublinCoreTerms: dublinCoreTerms
      case .itunes: itunes
      case .media: media
      case .syndication: syndication
      case .xhtml: xhtml
      case .other: [:]
      }
    return table[name] ?? .unknown
  }

  private static let core: [String: Meaning] = [
    "rss": Meaning(.rss), "rdf": Meaning(.rdf), "feed": Meaning(.atomFeed), "html": Meaning(.html),
    "channel": Meaning(.channel), "items": Meaning(.items), "item": Meaning(.item), "entry": Meaning(.item),
    "image": Meaning(.image), "textinput": Meaning(.textInput), "textarea": Meaning(.textInput),
    "source": Meaning(.source),
    "title": Meaning(.title), "link": Meaning(.link), "guid": Meaning(.id), "id": Meaning(.id, 1),
    "description": Meaning(.description), "subtitle": Meaning(.description, 1),
    "tagline": Meaning(.description, 1), "abstract": Meaning(.description, 1),
    "info": Meaning(.description, 2),
    "summary": Meaning(.summary, 1), "content": Meaning(.content, 1), "body": Meaning(.content, 2),
    "fullitem": Meaning(.content, 2),
    "author": Meaning(.author), "managingeditor": Meaning(.author), "webmaster": Meaning(.author, 9),
    "contributor": Meaning(.contributor), "name": Meaning(.personName), "email": Meaning(.personEmail),
    "uri": Meaning(.personLink), "homepage": Meaning(.personLink),
    "pubdate": Meaning(.published), "published": Meaning(.published, 1), "issued": Meaning(.published, 1),
    "created": Meaning(.published, 4),
    "lastbuilddate": Meaning(.updated), "updated": Meaning(.updated, 1), "modified": Meaning(.updated, 1),
    "lastmod": Meaning(.updated, 2), "date": Meaning(.published, 6), "language": Meaning(.language),
    "url": Meaning(.url),
    "logo": Meaning(.logo, 1), "icon": Meaning(.icon, 3), "enclosure": Meaning(.enclosure),
    "ttl": Meaning(.ttl), "skiphours": Meaning(.skipHours), "skipdays": Meaning(.skipDays),
    "hour": Meaning(.hour), "day": Meaning(.day),
  ]

  private static let content: [String: Meaning] = ["encoded": Meaning(.content)]

  private static let dublinCore: [String: Meaning] = [
    "title": Meaning(.title, 2), "description": Meaning(.description, 3),
    "creator": Meaning(.author, 2), "author": Meaning(.author, 2), "publisher": Meaning(.author, 10),
    "date": Meaning(.published, 5), "language": Meaning(.language, 1), "identifier": Meaning(.id, 3),
  ]

  private static let dublinCoreTerms: [String: Meaning] = [
    "title": Meaning(.title, 2), "creator": Meaning(.author, 2), "issued": Meaning(.published, 2),
    "available": Meaning(.published, 3), "created": Meaning(.published, 4),
    "modified": Meaning(.updated, 2), "abstract": Meaning(.description, 3),
    "date": Meaning(.published, 5), "language": Meaning(.language, 1),
  ]

  private static let itunes: [String: Meaning] = [
    "title": Meaning(.title, 4), "author": Meaning(.author, 3), "summary": Meaning(.summary, 4),
    "description": Meaning(.summary, 4), "subtitle": Meaning(.description, 6),
    "owner": Meaning(.contributor), "image": Meaning(.itunesImage, 2), "link": Meaning(.link, 3),
    "block": Meaning(.unknown), "new-feed-url": Meaning(.newFeedURL),
  ]

  private static let media: [String: Meaning] = [
    "group": Meaning(.mediaGroup), "content": Meaning(.mediaContent), "thumbnail": Meaning(.mediaContent, 1),
    "title": Meaning(.title, 3),
    "description": Meaning(.description, 7), "credit": Meaning(.unknown),
  ]

  private static let syndication: [String: Meaning] = [
    "updateperiod": Meaning(.updatePeriod), "updatefrequency": Meaning(.updateFrequency),
  ]

  private static let xhtml: [String: Meaning] = [
    "html": Meaning(.html), "body": Meaning(.content, 2), "div": Meaning(.content, 3),
  ]
}

extension XMLElement {
  var meaning: Meaning { Meaning(code: code) }

  /// The name as written in HTML: XHTML names without a prefix, others with theirs.
  var markupName: String {
    guard let prefix, Namespace(address: namespace, prefix: prefix) != .xhtml else { return localName }
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
      } else if Namespace.known(address) == .core, address.contains("rss") {
        dialect = .rss10
      }
    }
    return dialect
  }
}
