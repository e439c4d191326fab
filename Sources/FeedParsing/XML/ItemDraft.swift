internal import XMLReading

/// An item while it is parsed: its values so far and the rank of the element that gave each.
struct ItemDraft {
  var record = ItemRecord()
  var id = ElementRank()
  var title = ElementRank()
  var url = ElementRank()
  var published = ElementRank()
  var updated = ElementRank()
  var authors = RankedNames()
  var summary = ElementRank()
  var content = ElementRank()
  var image = ElementRank()
  var language = ElementRank()
  /// Filled only if ``FeedLimits/keepsArticles`` is set.
  var article = ArticleRecord()
  /// Bytes, whether the text is kept or not.
  var summaryLength = 0
  /// False when the guid has `isPermaLink="false"`.
  var idIsPermalink = true
  /// The item has a category, which is not kept: an item with nothing else is still an item.
  var hasCategory = false
  /// Bytes of text kept before this item.
  var textStart = 0

  var isEmpty: Bool {
    !(id.isTaken || title.isTaken || url.isTaken || published.isTaken || updated.isTaken
      || record.declaresAuthor
      || summary.isTaken || content.isTaken || hasCategory) && record.enclosure.isEmpty
  }
}

/// The rank of the element that gave a value so far. Of several elements the lowest rank wins, and of equal ranks the
/// first.
struct ElementRank {
  private var best = UInt8.max

  var isTaken: Bool { best < .max }

  /// Returns true when the value must be set.
  mutating func claim(_ rank: UInt8) -> Bool {
    guard rank < best else { return false }
    best = rank
    return true
  }

  /// The same, but of equal ranks the last wins: for links and dates, where a repeated element corrects the earlier
  /// one.
  mutating func claimAsLast(_ rank: UInt8) -> Bool {
    guard rank <= best else { return false }
    best = rank
    return true
  }

  mutating func offer<Value>(_ value: Value?, _ rank: UInt8, for field: inout Value?) {
    guard let value, claim(rank) else { return }
    field = value
  }

  mutating func offerLast<Value>(_ value: Value?, _ rank: UInt8, for field: inout Value?) {
    guard let value, claimAsLast(rank) else { return }
    field = value
  }

  /// Creates the text only when it is kept.
  mutating func offer(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, for field: inout String?) {
    if claim(rank) { field = bytes.text }
  }

  mutating func offer(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, for field: inout FeedDate?,
    _ findings: inout FeedFindingList
  ) {
    guard let date = FeedDate(bytes) else {
      return findings.add(
        .unreadableDate, "'\(String(decoding: bytes.prefix(60), as: UTF8.self))' is not a date")
    }
    offerLast(date.isMissing ? nil : date, rank, for: &field)
  }
}

struct RankedNames {
  private var best = UInt8.max
  private var names: [String] = []

  private static let maxCount = 64

  var joined: String? { names.count < 2 ? names.first : AuthorName.joined(names) }

  mutating func offer(_ name: String, _ rank: UInt8) {
    if rank < best { (best, names) = (rank, []) }
    if rank == best, names.count < Self.maxCount { names.append(name) }
  }
}
