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

  func finished() -> FeedItem {
    var item = FeedItem()
    item.title = title.value
    item.url = url.value ?? (idIsPermalink ? id.value.flatMap { Link.isWebAddress($0) ? $0 : nil } : nil)
    item.published = published.value
    item.updated = updated.value
    item.author = author.value
    item.summary = summary.value
    item.contentLength = contentLength.value ?? summary.value?.utf8.count ?? 0
    item.enclosures = enclosures
    item.identify(declared: id.value)
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
