internal import XMLReading

extension FeedBuilder {
  /// The absolute form of a reference, until resolving has added ``FeedLimits/resolvedLinks`` bytes. One in an item that
  /// ``resolvesLast`` stays as it is.
  mutating func resolve(_ reference: consuming String) -> String {
    guard let base = bases.last, !(itemIsOpen && resolvesLast) else { return reference }
    return resolve(reference, base)
  }

  /// The same, against another base.
  mutating func resolve(_ reference: consuming String, _ base: BaseURL) -> String {
    guard resolvedBytes < limits.resolvedLinks else {
      findings.add(
        .linkExpansion, "its relative links resolve to too much text; some were left unresolved")
      return reference
    }
    let address = URLResolver.resolve(reference, against: base)
    resolvedBytes += max(0, address.utf8.count - reference.utf8.count)
    return address
  }

  /// - Parameter bytes: not empty, without white space at the ends.
  mutating func resolved(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    return bases.isEmpty || URLResolver.isWebAddress(bytes) ? text : resolve(text)
  }

  mutating func link(_ attributes: XMLAttributes, _ name: StaticString) -> String? {
    guard attributes.count > 0, let reference = attributes.value(name) else { return nil }
    return resolve(reference)
  }

  /// In RSS the URL is the text of `link`, in Atom its `href` (RFC 4287, section 4.2.7). A link with another relation than
  /// `alternate` is one of Atom wherever it stands.
  mutating func openLink(_ attributes: XMLAttributes) -> Bool {
    let relation =
      attributes.count > 0
      ? attributes.value("rel").flatMap { $0.split(separator: "/").last }?.lowercased() : nil
    guard attributes.count > 0, let address = link(attributes, "href") else {
      guard !feed.format.isAtom, relation ?? "alternate" == "alternate" else { return false }
      capture.begin(keepsMarkup: false)
      return true
    }
    switch relation ?? "alternate" {
    case "alternate" where relation == nil && !feed.format.isAtom:
      // RSS with the URL in an attribute.
      if place == .item {
        offerLastURL(address, 0)
      } else {
        siteURL.offerLast(address, 0, for: &feed.siteURL)
      }
    case "alternate": offerAlternate(address, type: attributes.value("type"))
    case "self" where place == .feed: feedURL.offer(address, 1, for: &feed.feedURL)
    case "enclosure" where place == .item: addEnclosure(attributes, "href", length: "length")
    case "image" where place == .feed: imageURL.offer(address, 2, for: &feed.imageURL)
    default: break
    }
    return false
  }

  /// HTML pages rank before other formats.
  private mutating func offerAlternate(_ address: String, type: String?) {
    let rank: UInt8 = type.map { $0.contains("html") } ?? true ? 1 : 2
    if place == .item {
      offerURL(address, rank)
    } else {
      siteURL.offer(address, rank, for: &feed.siteURL)
    }
  }
}
