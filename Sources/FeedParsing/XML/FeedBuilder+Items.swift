internal import XMLReading

/// The values of an item. A text is kept only when its element ranks before the one that gave the current value.
extension FeedBuilder {
  mutating func openItem() {
    if itemIsOpen { closeItem() }
    itemIsOpen = true
    sawContent = true
    item = ItemDraft(textStart: capture.kept)
  }

  mutating func closeItem() {
    itemIsOpen = false
    guard !item.isEmpty else { return }
    guard items.count < limits.items else {
      droppedItems += 1
      return dropItem()
    }
    if item.idIsPermalink, item.id.isTaken, !item.url.isTaken, isWebAddress(item.record.id) {
      item.record.url = capture.add(CharacterReferences.resolve(capture.bytes(item.record.id)))
    }
    if !item.content.isTaken { item.record.contentLength = item.summaryLength }
    item.record.author = capture.add(item.authors.joined)
    if resolvesLast { resolveAddresses() }
    identify()
    items.append(item.record, limits.keepsArticles ? item.article : nil)
  }

  /// Makes the item's relative addresses absolute: its link by that of the channel, else the address of the document; all
  /// others by its link, else as that.
  private mutating func resolveAddresses() {
    // `nil` is the item's link, of which a string is made only when something is relative, as in hardly any item.
    var base: BaseURL?
    if !isWebAddress(item.record.url) {
      base = webAddress(feed.siteURL) ?? webAddress(feed.documentURL)
      guard base != nil else { return }
      item.record.url = absolute(item.record.url, base)
      if isWebAddress(item.record.url) { base = nil }
    }
    item.record.enclosure = absolute(item.record.enclosure, base)
    item.article.image = absolute(item.article.image, base)
    item.record.summary = resolved(item.record.summary, base)
    item.article.content = resolved(item.article.content, base)
  }

  private func webAddress(_ text: String?) -> BaseURL? {
    text.flatMap { URLResolver.isWebAddress($0) ? BaseURL($0) : nil }
  }

  private func isWebAddress(_ span: TextSpan) -> Bool { URLResolver.isWebAddress(capture.bytes(span)) }

  private mutating func absolute(_ span: TextSpan, _ base: BaseURL?) -> TextSpan {
    guard !isWebAddress(span), let reference = text(span) else { return span }
    let address = resolveInItem(reference, base)
    return address == reference ? span : capture.add(address)
  }

  private mutating func resolved(_ span: TextSpan, _ base: BaseURL?) -> TextSpan {
    guard !span.isEmpty,
      let absolute = MarkupLinkResolver.resolve(capture.bytes(span), absolute: { resolveInItem($0, base) })
    else { return span }
    return capture.add(String(decoding: absolute, as: UTF8.self))
  }

  private mutating func resolveInItem(_ reference: String, _ base: BaseURL?) -> String {
    guard let base = base ?? webAddress(text(item.record.url)) else { return reference }
    return resolve(reference, base)
  }

  mutating func dropItem() {
    itemIsOpen = false
    capture.drop(after: item.textStart)
    items.removeCategories(of: item.article)
  }

  /// Sets the id: the declared one, or else the link, or else a hash of the item's text.
  private mutating func identify() {
    item.record.idIsDeclared = item.id.isTaken
    guard !item.id.isTaken else { return }
    item.record.id = item.record.url
    guard item.record.id.isEmpty else { return }
    let derived = ItemTable.derivedID(
      title: text(item.record.title), summary: text(item.record.summary),
      enclosure: text(item.record.enclosure))
    item.record.id = capture.add(derived)
  }

  private func text(_ span: TextSpan) -> String? {
    span.isEmpty ? nil : String(decoding: capture.bytes(span), as: UTF8.self)
  }

  // MARK: Texts of elements

  mutating func takeItemText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: ElementMeaning) {
    let rank = meaning.rank
    switch meaning.role {
    case .title: if item.title.claim(rank) { takeTitle() }
    case .description, .summary: if item.summary.claim(rank) { takeSummary(length: bytes.count) }
    case .content: if item.content.claim(rank) { takeContent() }
    case .category: items.add(category: capture.keep(), to: &item.article)
    case .language: if item.language.claim(rank) { item.article.language = capture.keep() }
    case .link: if item.url.claimAsLast(rank) { item.record.url = keepLink(bytes) }
    case .id: if item.id.claim(rank) { item.record.id = keepID(bytes) }
    case .published: item.published.offer(bytes, rank, for: &item.record.published, &findings)
    case .updated: item.updated.offer(bytes, rank, for: &item.record.updated, &findings)
    default: break
    }
  }

  private mutating func takeTitle() {
    item.record.title = capture.keep()
    item.article.titleIsPlain = titleIsPlain && !capture.hasElements
  }

  private mutating func takeSummary(length: Int) {
    item.summaryLength = length
    guard limits.keepsSummaries else { return }
    item.record.summary = capture.keep()
    item.article.summaryIsPlain = isPlain(item.record.summary)
    if !item.content.isTaken { item.article.isCut = capture.isTruncated }
  }

  private mutating func takeContent() {
    item.record.contentLength = capturedLength
    guard limits.keepsArticles else { return }
    item.article.content = capture.keep()
    item.article.contentIsPlain = isPlain(item.article.content)
    item.article.isCut = capture.isTruncated
  }

  /// A text of Atom without `type` is plain (RFC 4287, section 3.1.1), but publishers leave it out of HTML as well, which
  /// shows at its beginning.
  private func isPlain(_ text: TextSpan) -> Bool {
    guard titleIsPlain, !textIsPlain, limits.keepsArticles else { return textIsPlain }
    let start = String(decoding: capture.bytes(text).prefix(4 << 10), as: UTF8.self)
    return !capture.hasElements && !HTMLVocabulary.hasMarkup(start)
  }

  private mutating func keepLink(_ bytes: UnsafeBufferPointer<UInt8>) -> TextSpan {
    (bases.isEmpty || resolvesLast || URLResolver.isWebAddress(bytes)) && !bytes.contains(UInt8(ascii: ";"))
      ? capture.keep() : capture.add(resolved(bytes))
  }

  /// Keeps an id; one that equals the link is stored once. A relative id in Atom is resolved like a link when the
  /// document declares a base; otherwise it can be any text.
  private mutating func keepID(_ bytes: UnsafeBufferPointer<UInt8>) -> TextSpan {
    if bases.count > outerBases, feed.format.isAtom { return keepLink(bytes) }
    return bytes.equals(capture.bytes(item.record.url)) ? item.record.url : capture.keep()
  }

  // MARK: Values of attributes

  /// Opens a category: its name is an attribute in Atom and the text in RSS.
  mutating func openCategory(_ attributes: XMLAttributes) -> Bool {
    guard limits.keepsArticles else { return false }
    guard let name = attributes.value("label")?.nonEmpty ?? attributes.value("term")?.nonEmpty else {
      capture.begin(keepsMarkup: false)
      return true
    }
    items.add(category: capture.add(name), to: &item.article)
    return false
  }

  mutating func offerImage(_ address: String?, _ rank: UInt8) {
    guard limits.keepsArticles, let address, item.image.claim(rank) else { return }
    item.article.image = capture.add(address)
  }

  mutating func offerLanguage(_ tag: String?, _ rank: UInt8) {
    guard limits.keepsArticles, let tag, item.language.claim(rank) else { return }
    item.article.language = capture.add(tag)
  }

  mutating func offerURL(_ address: String?, _ rank: UInt8) {
    if let address, item.url.claim(rank) { item.record.url = capture.add(address) }
  }

  /// Keeps the address of the first file, and that of the first picture among the files.
  mutating func takeFile(_ attributes: XMLAttributes, _ name: StaticString) {
    let isPicture = attributes.value("type")?.hasPrefix("image/") ?? false
    guard item.record.enclosure.isEmpty || isPicture, let address = link(attributes, name) else { return }
    if item.record.enclosure.isEmpty { item.record.enclosure = capture.add(address) }
    if isPicture { offerImage(address, 9) }
  }
}
