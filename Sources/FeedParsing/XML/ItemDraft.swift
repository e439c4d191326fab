internal import Cryptography

/// An item while its elements arrive.
struct ItemDraft {
  private(set) var value = FeedItem()
  private var id = Rank()
  private var title = Rank()
  private var url = Rank()
  private var published = Rank()
  private var updated = Rank()
  private var author = Rank()
  private var summary = Rank()
  private var content = Rank()
  /// False when the guid says that it is no address.
  var idIsPermalink = true

  mutating func offerTitle(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8) {
    title.offer(bytes, rank, for: &value.title)
  }

  mutating func offerSummary(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8) {
    summary.offer(bytes, rank, for: &value.summary)
  }

  mutating func offerContent(length: Int, _ rank: UInt8) {
    if content.claim(rank) { value.contentLength = length }
  }

  mutating func offerURL(_ address: String?, _ rank: UInt8) { url.offer(address, rank, for: &value.url) }
  mutating func offerLastURL(_ address: String, _ rank: UInt8) {
    url.offerLast(address, rank, for: &value.url)
  }
  mutating func offerAuthor(_ name: String?, _ rank: UInt8) { author.offer(name, rank, for: &value.author) }

  mutating func offerID(_ text: String?, _ rank: UInt8) {
    if let text, id.claim(rank) { value.id = text }
  }

  /// An id is often the same text as the link, whose storage it then shares.
  mutating func offerID(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8) {
    guard id.claim(rank) else { return }
    let isURL = value.url?.utf8.withContiguousStorageIfAvailable { $0.equals(bytes) } == true
    value.id = (isURL ? value.url : nil) ?? bytes.text
  }

  mutating func offerPublished(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout Findings
  ) {
    published.offer(bytes, rank, for: &value.published, &findings)
  }

  mutating func offerUpdated(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout Findings
  ) {
    updated.offer(bytes, rank, for: &value.updated, &findings)
  }

  mutating func offerUpdated(_ date: FeedDate?, _ rank: UInt8) {
    updated.offer(date, rank, for: &value.updated)
  }

  mutating func addEnclosure(_ enclosure: FeedEnclosure) {
    guard value.enclosures.count < 64, !value.enclosures.contains(where: { $0.url == enclosure.url }) else {
      return
    }
    value.enclosures.append(enclosure)
  }

  var isEmpty: Bool {
    !(id.isTaken || title.isTaken || url.isTaken || published.isTaken || updated.isTaken || author.isTaken
      || summary.isTaken || content.isTaken) && value.enclosures.isEmpty
  }

  /// Adds the item to others; the draft is empty again.
  mutating func finish(into items: inout [FeedItem]) {
    if idIsPermalink, id.isTaken, !url.isTaken, Link.isWebAddress(value.id) { value.url = value.id }
    if !content.isTaken { value.contentLength = value.summary?.utf8.count ?? 0 }
    value.identify(declared: id.isTaken ? value.id : nil)
    // Changing places costs no look at who else holds the texts.
    var draft = ItemDraft()
    swap(&self, &draft)
    items.append(FeedItem())
    swap(&items[items.count - 1], &draft.value)
  }
}

extension FeedItem {
  /// Settles the id: the declared one, else the address, else a hash of the item's own text.
  mutating func identify(declared: consuming String?) {
    if let declared {
      id = declared
      idIsDeclared = true
    } else {
      id =
        url ?? "sha256:" + SHA256.hex("\(title ?? "")\n\(summary ?? "")\n\(enclosures.first?.url ?? "")")
    }
  }
}
