internal import XMLReading

/// Where the values of an item go. Their texts are kept only when they count more than what is there already.
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
      capture.forget(after: item.textStart)
      items.removeEnclosures(of: item.record)
      return
    }
    if item.idIsPermalink, item.id.isTaken, !item.url.isTaken,
      Link.isWebAddress(capture.bytes(item.record.id))
    {
      item.record.url = item.record.id
    }
    if !item.content.isTaken { item.record.contentLength = item.summaryLength }
    identify()
    items.append(item.record)
  }

  /// Settles the id: the declared one, else the address, else a hash of the item's own text.
  private mutating func identify() {
    item.record.idIsDeclared = item.id.isTaken
    guard !item.id.isTaken else { return }
    item.record.id = item.record.url
    guard item.record.id.isEmpty else { return }
    let file = items.enclosures(of: item.record).first
    let derived = ItemTable.derivedID(
      title: text(item.record.title), summary: text(item.record.summary),
      enclosure: file.flatMap { text($0.url) })
    item.record.id = capture.add(derived)
  }

  private func text(_ span: TextSpan) -> String? {
    span.isEmpty ? nil : String(decoding: capture.bytes(span), as: UTF8.self)
  }

  // MARK: Texts of elements

  /// - Parameter bytes: what was captured.
  mutating func takeItemText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: Meaning) {
    let rank = meaning.rank
    switch meaning.role {
    case .title: if item.title.claim(rank) { item.record.title = capture.keep() }
    case .description, .summary: if item.summary.claim(rank) { takeSummary(length: bytes.count) }
    case .content: item.offerContent(length: bytes.count, rank)
    case .link: if item.url.claimAsLast(rank) { item.record.url = keepLink(bytes) }
    case .id: if item.id.claim(rank) { item.record.id = keepID(bytes) }
    case .published: item.offerPublished(bytes, rank, &findings)
    case .updated: item.offerUpdated(bytes, rank, &findings)
    default: break
    }
  }

  private mutating func takeSummary(length: Int) {
    item.summaryLength = length
    if limits.keepsSummaries { item.record.summary = capture.keep() }
  }

  private mutating func keepLink(_ bytes: UnsafeBufferPointer<UInt8>) -> TextSpan {
    bases.isEmpty || Link.isWebAddress(bytes) ? capture.keep() : capture.add(resolved(bytes))
  }

  /// An id is often the same text as the link, and is then kept once. It is no link itself, but those who write a
  /// relative one in Atom mean the address that it becomes. Only where the document itself says what it is relative
  /// to: elsewhere it may be any text.
  private mutating func keepID(_ bytes: UnsafeBufferPointer<UInt8>) -> TextSpan {
    if bases.count > outerBases, feed.format.isAtom { return keepLink(bytes) }
    return bytes.equals(capture.bytes(item.record.url)) ? item.record.url : capture.keep()
  }

  // MARK: Values of attributes

  mutating func offerID(_ text: String?, _ rank: UInt8) {
    if let text, item.id.claim(rank) { item.record.id = capture.add(text) }
  }

  mutating func offerURL(_ address: String?, _ rank: UInt8) {
    if let address, item.url.claim(rank) { item.record.url = capture.add(address) }
  }

  mutating func offerLastURL(_ address: String, _ rank: UInt8) {
    if item.url.claimAsLast(rank) { item.record.url = capture.add(address) }
  }

  mutating func addEnclosure(_ attributes: XMLAttributes, _ name: StaticString, length: StaticString) {
    guard items.admitsEnclosure(item.record), var address = link(attributes, name),
      address.withUTF8({ !hasEnclosure($0) })
    else { return }
    let bytes = attributes.value(length).flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
    let enclosure = EnclosureRecord(
      url: capture.add(address), type: capture.add(attributes.value("type")), length: bytes)
    items.add(enclosure, to: &item.record)
  }

  private func hasEnclosure(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
    items.enclosures(of: item.record).contains { capture.bytes($0.url).equals(address) }
  }
}
