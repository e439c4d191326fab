internal import XMLReading

/// Makes a feed of the elements of an XML document as they arrive.
///
/// Kept as a value behind a pointer and free of strings on the way, because these methods run once for every
/// element of every feed.
struct FeedBuilder: ~Copyable {
  /// Where in a feed an element stands.
  enum Place: UInt8 { case document, feed, item, image, person, source, skipHours, skipDays }

  var feed = ParsedFeed()
  var title = Rank()
  var siteURL = Rank()
  var feedURL = Rank()
  var description = Rank()
  var language = Rank()
  var imageURL = Rank()
  var updated = Rank()
  var item = ItemDraft()
  var items = ItemTable()
  var findings = Findings()
  var period = SyndicationPeriod()
  /// Of the feed itself, which an entry of Atom without an author has, too (RFC 4287, section 4.2.1).
  var author = Rank()
  var authorName: String?
  var personName: String?
  var personEmail: String?

  var capture: TextCapture
  var frames: FrameStack
  var bases: [LinkBase]
  /// How many of them are not the document's own.
  let outerBases: Int
  /// That resolving has added to addresses.
  var resolvedBytes = 0
  /// Set when nothing more should be read.
  var isStopped = false
  var itemIsOpen = false
  var droppedItems = 0
  var sawRoot = false
  /// Said by the root's namespaces.
  var rdfDialect: FeedFormat?
  var sawContent = false
  /// The namespace of the document's own elements, when it is one nobody knows.
  var rootNamespace: String?
  let limits: FeedLimits

  init(limits: FeedLimits, baseURL: String?) {
    self.limits = limits
    capture = TextCapture(limit: limits.text)
    bases = baseURL.flatMap(LinkBase.init).map { [$0] } ?? []
    outerBases = bases.count
    frames = FrameStack(capacity: limits.depth)
  }

  var place: Place { frames.place }

  // MARK: Events

  /// What the name of an element stands for.
  mutating func meaning(of element: XMLElement) -> Meaning {
    let name = element.localName.lowercased()
    let address = element.namespace
    if !sawRoot, name == "rss" || name == "feed" { rootNamespace = address }
    let isOwn = address != nil && address == rootNamespace
    return Vocabulary.meaning(
      of: name, in: isOwn ? .core : Namespace(address: address, prefix: element.prefix))
  }

  mutating func start(_ element: XMLElement) -> XMLInterest {
    guard capture.isActive, place != .person || isMarkupInPerson(element) else {
      let isWanted = open(element)
      return isStopped ? .stop : isWanted ? .read : .skip
    }
    capture.open(element)
    return .read
  }

  /// An author in RSS is a text and may hold markup; in Atom it is made of elements.
  private func isMarkupInPerson(_ element: XMLElement) -> Bool {
    capture.nested > 0 || element.meaning.role == .unknown && !feed.format.isAtom
  }

  mutating func end() {
    if capture.isActive, capture.nested > 0 {
      capture.close()
    } else if let frame = frames.pop() {
      close(frame)
      if frame.hasBase { bases.removeLast() }
    }
  }

  /// What was read, with everything still open closed.
  mutating func finish() -> ParsedFeed {
    if itemIsOpen { closeItem() }
    if let authorName, authorName.utf8.count <= ItemTable.inheritedAuthorLimit {
      items.inherit(author: capture.add(authorName))
    }
    // RDF is also the form of documents that have nothing to do with feeds.
    if feed.format == .rss10, rdfDialect == nil, !sawContent { feed.format = .unknown }
    feed.language = feed.language?.replacing("_", with: "-")
    feed.ttl = feed.ttl ?? period.duration
    if droppedItems > 0 {
      findings.add(.tooManyItems, "\(droppedItems) items after the first \(limits.items) were not kept")
    }
    feed.diagnostics = findings.list
    feed.items = items.items(texts: capture.take())
    return feed
  }
}
