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
  var frames: OpenElementStack
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
  /// The feed's root element has ended.
  var reachedEnd = false
  /// The dialect that the root's namespaces declare.
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
    frames = OpenElementStack(capacity: limits.depth)
  }

  var place: Place { frames.place }

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
    } else if let frame = frames.pop() {
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
    feed.language = feed.language?.replacing("_", with: "-")
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
