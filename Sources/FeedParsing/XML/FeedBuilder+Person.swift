extension FeedBuilder {
  /// The end of an author that was one text, or of a name or an address inside an author.
  mutating func closePersonText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: Meaning) {
    let text = bytes.isEmpty ? nil : bytes.text
    switch meaning.role {
    case .personName: personName = personName ?? text
    case .personEmail: personEmail = personEmail ?? text
    default: closePerson(meaning, text: text.map(Self.nameFirst))
    }
  }

  /// The end of an author: `Name (address)`, or whichever of the two there is.
  mutating func closePerson(_ meaning: Meaning, text: String?) {
    let author =
      switch (personName, personEmail) {
      case (let name?, let email?): "\(name) (\(email))"
      case (let name?, nil): name
      case (nil, let email?): email
      case (nil, nil): text
      }
    switch place {
    case .item: item.offerAuthor(author, meaning.rank)
    case .source: item.offerAuthor(author, 20)
    case .feed where feed.format.isAtom: self.author.offer(author, meaning.rank, for: &authorName)
    default: break
    }
  }

  /// RSS writes `address (Name)`, mail programs `Name <address>`; here the name comes first, as it does in Atom.
  private static func nameFirst(_ text: String) -> String {
    guard let last = text.utf8.last, last == UInt8(ascii: ")") || last == UInt8(ascii: ">"),
      let open = text.firstIndex(of: last == UInt8(ascii: ")") ? "(" : "<")
    else { return text }
    let before = String(text[..<open]).nonEmpty ?? ""
    let inside = String(text[text.index(after: open)...].dropLast()).nonEmpty ?? ""
    let (name, address) = last == UInt8(ascii: ")") ? (inside, before) : (before, inside)
    guard address.contains("@"), !address.contains(where: \.isWhitespace), !name.isEmpty else { return text }
    return "\(name) (\(address))"
  }
}
