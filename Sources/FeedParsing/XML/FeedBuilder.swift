/// Makes a feed of the elements of an XML document as they arrive.
///
/// Kept as a value behind a pointer and free of strings on the way, because these methods run once for every
/// element of every feed.
struct FeedBuilder: ~Copyable {
  /// Where in a feed an element stands.
  enum Place: UInt8 { case document, feed, item, image, person, skipHours, skipDays, other }

  struct Frame {
    var place: Place
    var meaning: Meaning
    /// True when the element brought its own xml:base.
    var hasBase = false
  }

  var feed = ParsedFeed()
  var title = Ranked<String>()
  var siteURL = Ranked<String>()
  var feedURL = Ranked<String>()
  var description = Ranked<String>()
  var language = Ranked<String>()
  var imageURL = Ranked<String>()
  var updated = Ranked<FeedDate>()
  var item = ItemDraft()
  var findings = Findings()
  var period = SyndicationPeriod()
  var personName: String?
  var personEmail: String?

  var capture: TextCapture
  var frames: [Frame] = []
  var bases: [LinkBase]
  /// That resolving has added to addresses.
  var resolvedBytes = 0
  /// Elements open inside one whose content is of no interest.
  var skipped = 0
  var depth = 0
  /// Set when nothing more should be read.
  var isStopped = false
  var itemIsOpen = false
  var droppedItems = 0
  var sawRoot = false
  /// Said by the root's namespaces.
  var rdfDialect: FeedFormat?
  var sawContent = false
  var names = NameCache()
  var entities: [String: DeclaredEntity] = [:]
  let limits: FeedLimits

  init(limits: FeedLimits, baseURL: String?) {
    self.limits = limits
    capture = TextCapture(limit: limits.text)
    bases = baseURL.flatMap(LinkBase.init).map { [$0] } ?? []
    frames.reserveCapacity(32)
  }

  var place: Place { frames.last?.place ?? .document }

  // MARK: Events

  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard capture.isActive, skipped == 0 else { return }
    capture.append(bytes)
  }

  mutating func end(_ name: () -> String) {
    depth -= 1
    if skipped > 0 {
      skipped -= 1
    } else if capture.isActive, capture.nested > 0 {
      capture.close(name())
    } else if let frame = frames.popLast() {
      close(frame)
      if frame.hasBase { bases.removeLast() }
    }
  }

  mutating func start(
    _ meaning: Meaning, _ attributes: Attributes, namespace: UnsafePointer<UInt8>?, name: () -> String
  ) {
    depth += 1
    guard depth <= limits.depth else {
      findings.add(.tooDeep, "elements are nested deeper than \(limits.depth) levels")
      isStopped = true
      return
    }
    if skipped > 0 {
      skipped += 1
    } else if capture.isActive, place != .person || capture.nested > 0 {
      capture.open(name(), attributes)
    } else {
      open(meaning, attributes, namespace)
    }
  }

  /// What was read, with everything still open closed.
  mutating func finish() -> ParsedFeed {
    if itemIsOpen { closeItem() }
    // RDF is also the form of documents that have nothing to do with feeds.
    if feed.format == .rss10, rdfDialect == nil, !sawContent { feed.format = .unknown }
    feed.title = title.value
    feed.siteURL = siteURL.value
    feed.feedURL = feedURL.value
    feed.description = description.value
    feed.language = language.value?.replacing("_", with: "-")
    feed.imageURL = imageURL.value
    feed.updated = updated.value
    feed.ttl = feed.ttl ?? period.duration
    if droppedItems > 0 {
      findings.add(.tooManyItems, "\(droppedItems) items after the first \(limits.items) were not kept")
    }
    feed.diagnostics = findings.list
    return feed
  }
}
