/// An item while its elements arrive: its values so far, and how much the elements counted that gave them.
struct ItemDraft {
  var record = ItemRecord()
  var id = Rank()
  var title = Rank()
  var url = Rank()
  var published = Rank()
  var updated = Rank()
  var author = Rank()
  var summary = Rank()
  var content = Rank()
  /// In bytes, whether the text is kept or not.
  var summaryLength = 0
  /// False when the guid says that it is no address.
  var idIsPermalink = true
  /// How much text was kept before this item.
  let textStart: Int

  init(textStart: Int = 0) { self.textStart = textStart }

  mutating func offerContent(length: Int, _ rank: UInt8) {
    if content.claim(rank) { record.contentLength = length }
  }

  mutating func offerPublished(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout Findings
  ) {
    published.offer(bytes, rank, for: &record.published, &findings)
  }

  mutating func offerUpdated(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout Findings
  ) {
    updated.offer(bytes, rank, for: &record.updated, &findings)
  }

  mutating func offerUpdated(_ date: FeedDate?, _ rank: UInt8) {
    updated.offer(date, rank, for: &record.updated)
  }

  var isEmpty: Bool {
    !(id.isTaken || title.isTaken || url.isTaken || published.isTaken || updated.isTaken || author.isTaken
      || summary.isTaken || content.isTaken) && record.enclosures.isEmpty
  }
}
