internal import XMLReading

extension FeedBuilder {
  mutating func close(_ frame: OpenElement) {
    if capture.isActive {
      closeText(frame)
    } else if frame.meaning.role == .item, itemIsOpen {
      closeItem()
    } else if frame.place == .person, frame.meaning.role == .author {
      closePerson(frame.meaning, text: UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  private mutating func closeText(_ frame: OpenElement) {
    if capture.isTruncated {
      findings.add(.textTruncated, "a text longer than \(limits.text) bytes was cut")
    }
    let text = capture.end()
    capturedLength = text.count
    guard !bases.isEmpty, !(itemIsOpen && resolvesLast),
      frame.meaning.role.holdsMarkup || limits.keepsArticles && frame.meaning.role == .content,
      let absolute = MarkupLinkResolver.resolve(text, absolute: { resolve($0) })
    else { return take(text, frame) }
    take(capture.replace(with: absolute), frame)
  }

  /// The addresses of an item are resolved at its end, unless the document declares a base or is Atom: the item's link comes
  /// first, which may follow the text (Documentation/reference/articles.md#relative-references).
  var resolvesLast: Bool { bases.count == outerBases && !feed.format.isAtom }

  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ frame: OpenElement) {
    if frame.place == .person {
      closePersonText(bytes, frame.meaning)
    } else if bytes.isEmpty {
      return
    } else if frame.place == .item {
      takeItemText(bytes, frame.meaning)
    } else {
      takeFeedText(bytes, frame.meaning)
    }
  }

  private mutating func takeFeedText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: ElementMeaning) {
    let rank = meaning.rank
    switch meaning.role {
    case .title: title.offer(bytes, rank, for: &feed.title)
    case .description, .summary: description.offer(bytes, rank, for: &feed.description)
    case .link: siteURL.offerLast(resolved(bytes), rank, for: &feed.siteURL)
    case .language: language.offer(bytes, rank, for: &feed.language)
    case .url: imageURL.offer(resolved(bytes), 0, for: &feed.imageURL)
    case .logo, .icon, .itunesImage: imageURL.offer(resolved(bytes), rank, for: &feed.imageURL)
    // Without lastBuildDate, the publication date is the best value for `updated`.
    case .published: updated.offer(bytes, rank + 10, for: &feed.updated, &findings)
    case .updated: updated.offer(bytes, rank, for: &feed.updated, &findings)
    case .newFeedURL: feed.newFeedURL = feed.newFeedURL ?? resolved(bytes)
    // Apple's podcast specification knows only the value Yes.
    case .complete: feed.isExpired = feed.isExpired || bytes.text.lowercased() == "yes"
    case .generator: feed.generator = feed.generator ?? bytes.text
    case .ttl: if let minutes = number(bytes), minutes > 0 { feed.ttl = .seconds(min(minutes, 525_600) * 60) }
    case .updatePeriod: period.name = String(decoding: bytes, as: UTF8.self)
    case .updateFrequency: period.frequency = number(bytes) ?? 1
    case .hour: if let hour = number(bytes), (0...24).contains(hour) { feed.skipHours.insert(hour % 24) }
    case .day: if let day = CalendarNames.weekday(bytes) { feed.skipDays.insert(day) }
    default: break
    }
  }

  private func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    Int(String(decoding: bytes, as: UTF8.self))
  }

  /// Ends a name or an email address inside an author, or an author that is a single text.
  mutating func closePersonText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: ElementMeaning) {
    switch meaning.role {
    case .personName: personName = personName ?? bytes.text.nonEmpty
    case .personEmail: personHasEmail = personHasEmail || !bytes.isEmpty
    default: closePerson(meaning, text: bytes)
    }
  }

  /// Ends an author.
  /// - Parameter text: the captured text, if the author has no elements with a meaning.
  mutating func closePerson(_ meaning: ElementMeaning, text: UnsafeBufferPointer<UInt8>) {
    switch place {
    case .item: offerAuthor(text, meaning.rank)
    case .source: offerAuthor(text, 20)
    case .feed where feed.format.isAtom:
      if let name = authorName(text) { authors.offer(name, meaning.rank) }
    default: break
    }
  }

  private mutating func offerAuthor(_ text: UnsafeBufferPointer<UInt8>, _ rank: UInt8) {
    item.record.declaresAuthor =
      item.record.declaresAuthor || personName != nil || personHasEmail || !text.isEmpty
    if let name = authorName(text) { item.authors.offer(name, rank) }
  }

  private func authorName(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    if let personName { return AuthorName.name(html: personName) }
    return text.isEmpty ? nil : AuthorName.name(html: text.text)
  }
}

struct SyndicationPeriod {
  var name: String?
  var frequency = 1

  private static let hours = [
    "hourly": 1, "daily": 24, "weekly": 24 * 7, "monthly": 24 * 30, "yearly": 24 * 365,
  ]

  /// The period divided by the frequency; `nil` without a known period.
  var duration: Duration? {
    name.flatMap { Self.hours[$0.lowercased()] }.map { .seconds($0 * 3600 / max(1, frequency)) }
  }
}
