internal import XMLReading

extension FeedBuilder {
  /// Opens an element outside any captured text. Returns false when the element does not matter.
  mutating func open(_ element: XMLElement) -> Bool {
    let meaning = element.meaning
    let attributes = element.attributes
    var frame = OpenElement(place: place, meaning: meaning)
    if attributes.count > 0 { frame.hasBase = openBase(attributes) }
    let isWanted =
      switch place {
      case .document: openRoot(element, attributes, &frame)
      case .feed: openInFeed(meaning, element, attributes, &frame)
      case .item: openInItem(meaning, attributes, &frame)
      case .image: openText(meaning.role == .url)
      case .person: openText(meaning.role == .personName || meaning.role == .personEmail)
      case .source: openInSource(meaning, &frame)
      case .skipHours: openText(meaning.role == .hour)
      case .skipDays: openText(meaning.role == .day)
      }
    if isWanted {
      if place == .document, frame.place != .document {
        rootDepth = frames.count
        reachedEnd = false
      }
      frames.append(frame)
    } else if frame.hasBase {
      bases.removeLast()
    }
    return isWanted
  }

  /// Returns false when the element has no `xml:base`.
  private mutating func openBase(_ attributes: XMLAttributes) -> Bool {
    guard let address = attributes.xmlValue("base")?.nonEmpty else { return false }
    let absolute = bases.last.map { resolve(address, $0) } ?? address
    guard let base = BaseURL(absolute) else { return false }
    bases.append(base)
    return true
  }

  private mutating func openText(_ isWanted: Bool) -> Bool {
    if isWanted { capture.begin(keepsMarkup: false) }
    return isWanted
  }

  private mutating func openRoot(
    _ element: XMLElement, _ attributes: XMLAttributes, _ frame: inout OpenElement
  ) -> Bool {
    defer { sawRoot = true }
    let role = element.meaning.role
    switch role {
    case .rss:
      feed.format = .rss(version: attributes.value("version"))
      frame.place = .feed
    case .rdf:
      rdfDialect = element.rdfDialect
      feed.format = rdfDialect ?? .rss10
      frame.place = .feed
    case .atomFeed:
      feed.format = .atom(version: attributes.value("version"), namespace: element.namespace)
      frame.place = .feed
    case .channel, .item:
      if element.namespace?.contains("rss1.1") == true { feed.format = .rss10 }
      return openInFeed(ElementMeaning(role), element, attributes, &frame)
    case .html:
      findings.add(.htmlPage, "this is an HTML page, not a feed")
      isStopped = true
    default:
      return !sawRoot
    }
    takeLanguage(attributes)
    return true
  }

  private mutating func openInFeed(
    _ meaning: ElementMeaning, _ element: XMLElement, _ attributes: XMLAttributes, _ frame: inout OpenElement
  ) -> Bool {
    switch meaning.role {
    case .channel: openChannel(element, attributes, &frame)
    case .item: openItem(attributes, &frame)
    // In RSS 1.1 this contains the items; in RSS 1.0 it lists their names.
    case .items: break
    case .image:
      frame.place = .image
      imageURL.offer(link(attributes, "href"), 2, for: &feed.imageURL)
    case .itunesImage:
      imageURL.offer(
        link(attributes, "href") ?? link(attributes, "url"), meaning.rank, for: &feed.imageURL)
      capture.begin(keepsMarkup: false)
    case .skipHours: frame.place = .skipHours
    case .skipDays: frame.place = .skipDays
    case .link: return openLink(attributes)
    case .author: openAuthor(&frame)
    case .mediaContent:
      let isImage =
        meaning.rank > 0 || attributes.value("medium") == "image"
        || attributes.value("type")?.hasPrefix("image/") == true
      if isImage { imageURL.offer(link(attributes, "url"), 6, for: &feed.imageURL) }
    case .title, .description, .summary: return openConstruct(attributes)
    case .published, .updated, .language, .newFeedURL, .complete, .ttl, .updatePeriod, .updateFrequency,
      .logo, .icon, .generator:
      capture.begin(keepsMarkup: false)
    default: return false
    }
    return true
  }

  private mutating func openInItem(
    _ meaning: ElementMeaning, _ attributes: XMLAttributes, _ frame: inout OpenElement
  )
    -> Bool
  {
    switch meaning.role {
    case .item: openItem(attributes, &frame)
    case .title, .description, .summary: return openConstruct(attributes)
    case .content:
      // RFC 4287, section 4.1.3.2: the content is at this URL.
      if attributes.count > 0 { offerURL(link(attributes, "src"), 9) }
      return openConstruct(attributes)
    case .link: return openLink(attributes)
    case .id:
      if attributes.count > 0, attributes.equals("ispermalink", "false") { item.idIsPermalink = false }
      capture.begin(keepsMarkup: true)
    case .source where feed.format.isAtom: frame.place = .source
    case .published, .updated: capture.begin(keepsMarkup: false)
    case .author: openAuthor(&frame)
    case .enclosure: takeFile(attributes, "url")
    case .mediaContent:
      let kind = attributes.value("medium") ?? attributes.value("type") ?? ""
      if kind.hasPrefix("audio") || kind.hasPrefix("video") {
        takeFile(attributes, "url")
      } else if limits.keepsArticles, let address = link(attributes, "url"),
        meaning.rank > 0 || kind.hasPrefix("image") || kind.isEmpty && Self.isPicture(address)
      {
        offerImage(address, meaning.rank)
      }
    case .category:
      item.hasCategory = true
      return openCategory(attributes)
    case .language where limits.keepsArticles: capture.begin(keepsMarkup: false)
    case .itunesImage where limits.keepsArticles:
      offerImage(link(attributes, "href") ?? link(attributes, "url"), 2)
    case .mediaGroup: break
    default: return false
    }
    return true
  }

  /// For Media RSS, which requires neither `type` nor `medium`.
  private static func isPicture(_ address: String) -> Bool {
    let path = address.prefix { $0 != "?" }.lowercased()
    return [".jpg", ".jpeg", ".png", ".gif", ".webp"].contains(where: path.hasSuffix)
  }

  /// The source feed of an Atom entry gives the author when the entry does not.
  private mutating func openInSource(_ meaning: ElementMeaning, _ frame: inout OpenElement) -> Bool {
    guard meaning.role == .author else { return false }
    openAuthor(&frame)
    return true
  }

  private mutating func openChannel(
    _ element: XMLElement, _ attributes: XMLAttributes, _ frame: inout OpenElement
  ) {
    frame.place = .feed
    sawContent = true
    takeLanguage(attributes)
    if feed.format == .rss10, element.namespace?.contains("rdf/simple/0.9") == true {
      feed.format = .rss090
    }
    // Channel Definition Format, the oldest dialect, has these in attributes.
    siteURL.offer(link(attributes, "href"), 5, for: &feed.siteURL)
    updated.offer(attributes.value("lastmod").flatMap(FeedDate.init(_:)), 5, for: &feed.updated)
  }

  private mutating func openItem(_ attributes: XMLAttributes, _ frame: inout OpenElement) {
    openItem()
    frame.place = .item
    guard attributes.count > 0 else { return }
    if let about = attributes.value("about"), item.id.claim(4) { item.record.id = capture.add(about) }
    offerLanguage(attributes.xmlValue("lang")?.nonEmpty, 2)
    offerURL(link(attributes, "href"), 5)
    item.updated.offer(
      attributes.value("lastmod").flatMap(FeedDate.init(_:)), 5, for: &item.record.updated)
  }

  private mutating func openAuthor(_ frame: inout OpenElement) {
    frame.place = .person
    personName = nil
    personHasEmail = false
    capture.begin(keepsMarkup: true)
  }

  /// Opens a title, summary or content. Its `type` and, before Atom 1.0, its `mode` declare how the text is encoded.
  ///
  /// - Returns: false if its media type is none of text, such as that of a picture.
  private mutating func openConstruct(_ attributes: XMLAttributes) -> Bool {
    textIsPlain = false
    titleIsPlain = feed.format.isAtom
    guard attributes.count > 0 else {
      capture.begin(keepsMarkup: true)
      return true
    }
    let type = Self.withoutParameters(attributes.value("type")?.lowercased() ?? "")
    let mode = attributes.value("mode")?.lowercased()
    textIsPlain = ["text", "text/plain", "plain"].contains(type)
    titleIsPlain = textIsPlain || titleIsPlain && type.isEmpty
    if Self.isBinary(type) { return false }
    if mode == "base64" {
      capture.begin(.base64, keepsMarkup: false)
    } else if type == "xhtml" || mode != "escaped" && (type.hasSuffix("+xml") || type.hasSuffix("/xml")) {
      capture.begin(.xhtml, keepsMarkup: true)
    } else {
      capture.begin(keepsMarkup: true)
    }
    return true
  }

  /// `application/xml` of `application/xml; charset=utf-8`
  private static func withoutParameters(_ type: String) -> String {
    guard type.contains(";") else { return type }
    return type.split { $0 == ";" || $0.isWhitespace }.first.map(String.init) ?? ""
  }

  /// RFC 4287, section 4.1.3.3: content with a media type other than text and XML is Base64, and its bytes are not text.
  private static func isBinary(_ type: String) -> Bool {
    type.contains("/") && !type.hasPrefix("text/") && !type.hasSuffix("+xml") && !type.hasSuffix("/xml")
      && !type.contains("html")
  }

  mutating func takeLanguage(_ attributes: XMLAttributes) {
    guard attributes.count > 0 else { return }
    language.offer(attributes.xmlValue("lang")?.nonEmpty, 2, for: &feed.language)
  }
}
