internal import XMLReading

extension FeedBuilder {
  /// The absolute form of a reference, while the document's bases have not made too much text of too little.
  mutating func resolve(_ reference: consuming String) -> String {
    guard let base = bases.last else { return reference }
    guard resolvedBytes < limits.resolvedLinks else {
      findings.add(
        .linkExpansion, "its links stand for more text than they should; some were left as they are")
      return reference
    }
    let address = Link.resolve(reference, against: base)
    resolvedBytes += max(0, address.utf8.count - reference.utf8.count)
    return address
  }

  /// - Parameter bytes: not empty, without white space around them.
  mutating func resolved(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    return bases.isEmpty || Link.isWebAddress(bytes) ? text : resolve(text)
  }

  mutating func link(_ attributes: XMLAttributes, _ name: StaticString) -> String? {
    guard attributes.count > 0, let reference = attributes.value(name) else { return nil }
    return resolve(reference)
  }

  /// RSS writes the address inside `link`, Atom in its `href`.
  mutating func openLink(_ attributes: XMLAttributes) -> Bool {
    guard attributes.count > 0, let address = link(attributes, "href") else {
      capture.begin(keepsMarkup: false)
      return true
    }
    let relation = attributes.value("rel").flatMap { $0.split(separator: "/").last }?.lowercased()
    switch relation ?? "alternate" {
    case "alternate" where relation == nil && !feed.format.isAtom:
      // RSS with its address in the wrong place.
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

  /// Pages in HTML come before other forms of the same thing.
  private mutating func offerAlternate(_ address: String, type: String?) {
    let rank: UInt8 = type.map { $0.contains("html") } ?? true ? 1 : 2
    if place == .item {
      offerURL(address, rank)
    } else {
      siteURL.offer(address, rank, for: &feed.siteURL)
    }
  }
}
