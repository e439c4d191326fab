internal import XMLReading

/// Builds a feed from the elements of an XML document. It is a value behind a pointer and avoids creating strings,
/// because these methods run for every element of every feed.
struct FeedBuilder: ~Copyable {
  enum Place: UInt8 { case document, feed, item, image, person, source, skipHours, skipDays }

  var feed = ParsedFeed()
  var title = ElementRank()
  var siteURL = ElementRank()
  var feedURL = ElementRank()
  var description = ElementRank()
  var language = ElementRank()
  var imageURL = ElementRank()
  var updated = ElementRank()
  var item = ItemDraft()
  var items = ItemTable()
  var findings = FeedFindingList()
  var period = SyndicationPeriod()
  /// The authors of the feed, whom Atom entries without an author inherit (RFC 4287, section 4.2.1).
  var authors = RankedNames()
  var personName: String?
  var personHasEmail = false

  /// The element whose text is captured declares plain text.
  var textIsPlain = false
  /// The same for a title, which Atom takes for plain text when it declares nothing
  /// (Documentation/reference/feeds.md#titles).
  var titleIsPlain = false
  /// Bytes of the captured text before its links were resolved.
  var capturedLength = 0
  var capture: TextCapture
  var frames: [OpenElement] = []
  var bases: [BaseURL]
  /// How many of the bases come from outside the document.
  let outerBases: Int
  var resolvedBytes = 0
  /// True when the rest of the document does not matter.
  var isStopped = false
  var itemIsOpen = false
  var droppedItems = 0
  var sawRoot = false
  /// How many elements are open around the feed's root element; `nil` before it begins.
  var rootDepth: Int?
  var reachedEnd = false
  var rdfDialect: FeedFormat?
  var sawContent = false
  var rootNamespace: String?
  let limits: FeedLimits

  init(limits: FeedLimits, baseURL: String?) {
    self.limits = limits
    capture = TextCapture(limit: limits.text)
    bases = baseURL.flatMap(BaseURL.init).map { [$0] } ?? []
    feed.documentURL = baseURL
    outerBases = bases.count
    frames.reserveCapacity(limits.depth)
  }

  var place: Place { frames.last?.place ?? .document }

  // MARK: Events

  mutating func meaning(of element: XMLElement) -> ElementMeaning {
    let name = element.localName.lowercased()
    let address = element.namespace
    if !sawRoot, name == "rss" || name == "feed" { rootNamespace = address }
    let isOwn = address != nil && address == rootNamespace
    return ElementVocabulary.meaning(
      of: name, in: isOwn ? .core : FeedNamespace(address: address, prefix: element.prefix))
  }

  mutating func start(_ element: XMLElement) -> XMLElementDecision {
    guard capture.isActive, place != .person || isMarkupInPerson(element) else {
      let isWanted = open(element)
      return isStopped ? .stop : isWanted ? .read : .skip
    }
    capture.open(element)
    return .read
  }

  /// An author in RSS is a text that may contain markup; in Atom it consists of elements.
  private func isMarkupInPerson(_ element: XMLElement) -> Bool {
    capture.nested > 0 || element.meaning.role == .unknown && !feed.format.isAtom
  }

  mutating func end() {
    if capture.isActive, capture.nested > 0 {
      capture.close()
    } else if let frame = frames.popLast() {
      close(frame)
      if frame.hasBase { bases.removeLast() }
      if frames.count == rootDepth { reachedEnd = true }
    }
  }

  /// The feed. What is still open has no end, so that it may be cut anywhere: nothing of it is taken.
  mutating func finish() -> ParsedFeed {
    if itemIsOpen { dropItem() }
    feed.isComplete = reachedEnd && droppedItems == 0
    if let names = authors.joined, names.utf8.count <= ItemTable.maxInheritedAuthor {
      items.inherit(author: capture.add(names))
    }
    // Other documents than feeds use RDF as well.
    if feed.format == .rss10, rdfDialect == nil, !sawContent { feed.format = .unknown }
    feed.language = feed.language.map { String($0.map { $0 == "_" ? "-" : $0 }) }
    feed.ttl = feed.ttl ?? period.duration
    if droppedItems > 0 {
      findings.add(.tooManyItems, "\(droppedItems) items after the first \(limits.items) were not kept")
    }
    feed.diagnostics = findings.list
    let texts = capture.take()
    let entry = BridgeErrorEntry(of: feed, authors: authors.joined, items: items.count)
    feed.bridgeErrors = items.removeBridgeErrors(entry, in: texts)
    feed.items = items.items(texts: texts)
    return feed
  }
}

struct OpenElement {
  var place: FeedBuilder.Place
  var meaning: ElementMeaning
  var hasBase = false
}

extension FeedBuilder {
  /// The absolute form of a reference, until resolving has added ``FeedLimits/resolvedLinks`` bytes. One in an item that
  /// ``resolvesLast`` stays as it is.
  mutating func resolve(_ reference: consuming String) -> String {
    guard let base = bases.last, !(itemIsOpen && resolvesLast) else { return reference }
    return resolve(reference, base)
  }

  /// The same, against another base.
  mutating func resolve(_ reference: consuming String, _ base: BaseURL) -> String {
    guard resolvedBytes < limits.resolvedLinks else {
      findings.add(
        .linkExpansion, "its relative links resolve to too much text; some were left unresolved")
      return reference
    }
    let address = URLResolver.resolve(reference, against: base)
    resolvedBytes += max(0, address.utf8.count - reference.utf8.count)
    return address
  }

  /// Addresses are escaped twice or within CDATA, too: `&amp;b=2` would name a parameter `amp;b`.
  /// - Parameter bytes: not empty, without white space at the ends.
  mutating func resolved(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let text = CharacterReferences.resolve(bytes)
    return bases.isEmpty || URLResolver.isWebAddress(bytes) ? text : resolve(text)
  }

  mutating func link(_ attributes: XMLAttributes, _ name: StaticString) -> String? {
    guard attributes.count > 0, let reference = attributes.value(name) else { return nil }
    return resolve(CharacterReferences.resolve(reference))
  }

  /// In RSS the URL is the text of `link`, in Atom its `href` (RFC 4287, section 4.2.7). A link with another relation than
  /// `alternate` is one of Atom wherever it stands.
  mutating func openLink(_ attributes: XMLAttributes) -> Bool {
    let relation =
      attributes.count > 0
      ? attributes.value("rel").flatMap { $0.split(separator: "/").last }?.lowercased() : nil
    guard attributes.count > 0, let address = link(attributes, "href") else {
      guard !feed.format.isAtom, relation ?? "alternate" == "alternate" else { return false }
      capture.begin(keepsMarkup: false)
      return true
    }
    switch relation ?? "alternate" {
    case "alternate" where relation == nil && !feed.format.isAtom:
      // RSS with the URL in an attribute.
      if place == .item {
        if item.url.claimAsLast(0) { item.record.url = capture.add(address) }
      } else {
        siteURL.offerLast(address, 0, for: &feed.siteURL)
      }
    case "alternate": offerAlternate(address, type: attributes.value("type"))
    case "self" where place == .feed: feedURL.offer(address, 1, for: &feed.feedURL)
    case "enclosure" where place == .item: takeFile(attributes, "href")
    case "image" where place == .feed: imageURL.offer(address, 2, for: &feed.imageURL)
    default: break
    }
    return false
  }

  /// HTML pages rank before other formats.
  private mutating func offerAlternate(_ address: String, type: String?) {
    let rank: UInt8 = type.map { $0.contains("html") } ?? true ? 1 : 2
    if place == .item {
      offerURL(address, rank)
    } else {
      siteURL.offer(address, rank, for: &feed.siteURL)
    }
  }
}
