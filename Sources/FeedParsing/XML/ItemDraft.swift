/// An item while it is parsed: its values so far and the rank of the element that gave each.
struct ItemDraft {
  var record = ItemRecord()
  var id = ElementRank()
  var title = ElementRank()
  var url = ElementRank()
  var published = ElementRank()
  var updated = ElementRank()
  var author = ElementRank()
  var summary = ElementRank()
  var content = ElementRank()
  /// Bytes, whether the text is kept or not.
  var summaryLength = 0
  /// False when the guid has `isPermaLink="false"`.
  var idIsPermalink = true
  /// Bytes of text kept before this item.
  let textStart: Int

  init(textStart: Int = 0) { self.textStart = textStart }

  mutating func offerContent(length: Int, _ rank: UInt8) {
    if content.claim(rank) { record.contentLength = length }
  }

  mutating func offerPublished(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout FeedFindingList
  ) {
    published.offer(bytes, rank, for: &record.published, &findings)
  }

  mutating func offerUpdated(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout FeedFindingList
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
