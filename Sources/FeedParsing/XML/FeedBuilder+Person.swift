internal import XMLReading

extension FeedBuilder {
  /// The end of an author that was one text, or of a name or an address inside an author.
  mutating func closePersonText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: Meaning) {
    switch meaning.role {
    case .personName: personName = personName ?? bytes.text.nonEmpty
    case .personEmail: personEmail = personEmail ?? bytes.text.nonEmpty
    default: closePerson(meaning, text: bytes)
    }
  }

  /// The end of an author.
  /// - Parameter text: what was captured of it, when nothing inside it has a meaning.
  mutating func closePerson(_ meaning: Meaning, text: UnsafeBufferPointer<UInt8>) {
    switch place {
    case .item: offerAuthor(text, meaning.rank)
    case .source: offerAuthor(text, 20)
    case .feed where feed.format.isAtom:
      author.offer(composedAuthor(text) ?? text.text.nonEmpty, meaning.rank, for: &authorName)
    default: break
    }
  }

  private mutating func offerAuthor(_ text: UnsafeBufferPointer<UInt8>, _ rank: UInt8) {
    let composed = composedAuthor(text)
    guard composed != nil || !text.isEmpty, item.author.claim(rank) else { return }
    item.record.author = composed.map { capture.add($0) } ?? capture.keep()
  }

  /// `Name (address)`, or whichever of the two there is; `nil` when the text is good as it stands.
  private func composedAuthor(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    switch (personName, personEmail) {
    case (let name?, let email?): "\(name) (\(email))"
    case (let name?, nil): name
    case (nil, let email?): email
    case (nil, nil): Self.nameFirst(text)
    }
  }

  /// RSS writes `address (Name)`, mail programs `Name <address>`; here the name comes first, as it does in Atom.
  /// `nil` for a text that is neither.
  private static func nameFirst(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard let last = bytes.last, last == UInt8(ascii: ")") || last == UInt8(ascii: ">") else { return nil }
    let text = bytes.text
    guard let open = text.firstIndex(of: last == UInt8(ascii: ")") ? "(" : "<") else { return nil }
    let before = String(text[..<open]).nonEmpty ?? ""
    let inside = String(text[text.index(after: open)...].dropLast()).nonEmpty ?? ""
    let (name, address) = last == UInt8(ascii: ")") ? (inside, before) : (before, inside)
    guard address.contains("@"), !address.contains(where: \.isWhitespace), !name.isEmpty else { return nil }
    return "\(name) (\(address))"
  }
}
