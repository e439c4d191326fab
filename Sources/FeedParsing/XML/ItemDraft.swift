internal import Cryptography

/// An item while its elements arrive.
struct ItemDraft {
  var id = Ranked<String>()
  var title = Ranked<String>()
  var url = Ranked<String>()
  var published = Ranked<FeedDate>()
  var updated = Ranked<FeedDate>()
  var author = Ranked<String>()
  var summary = Ranked<String>()
  var contentLength = Ranked<Int>()
  var enclosures: [FeedEnclosure] = []
  /// False when the guid says that it is no address.
  var idIsPermalink = true

  mutating func addEnclosure(_ enclosure: FeedEnclosure) {
    guard enclosures.count < 64, !enclosures.contains(where: { $0.url == enclosure.url }) else { return }
    enclosures.append(enclosure)
  }

  var isEmpty: Bool {
    id.value == nil && title.value == nil && url.value == nil && summary.value == nil
      && contentLength.value == nil && published.value == nil && enclosures.isEmpty
      && updated.value == nil && author.value == nil
  }

  /// The item; the draft is empty again.
  mutating func finish() -> FeedItem {
    var item = FeedItem()
    let declared = id.take()
    item.title = title.take()
    item.url = url.take() ?? (idIsPermalink ? declared.flatMap { Link.isWebAddress($0) ? $0 : nil } : nil)
    item.published = published.take()
    item.updated = updated.take()
    item.author = author.take()
    item.summary = summary.take()
    item.contentLength = contentLength.take() ?? item.summary?.utf8.count ?? 0
    swap(&item.enclosures, &enclosures)
    item.identify(declared: declared)
    return item
  }
}

extension FeedItem {
  /// Settles the id: the declared one, else the address, else a hash of the item's own text.
  mutating func identify(declared: String?) {
    idIsDeclared = declared != nil
    id =
      declared ?? url ?? "sha256:"
      + SHA256.hex("\(title ?? "")\n\(summary ?? "")\n\(enclosures.first?.url ?? "")")
  }
}
