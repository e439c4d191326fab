extension FeedBuilder {
  /// The end of an author that was one text, or of a name or an address inside an author.
  mutating func closePersonText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: Meaning) {
    let text = bytes.isEmpty ? nil : bytes.text
    switch meaning.role {
    case .personName: personName = personName ?? text
    case .personEmail: personEmail = personEmail ?? text
    default: closePerson(meaning, text: bytes.last == UInt8(ascii: ")") ? text.map(Self.nameFirst) : text)
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
    if place == .item { item.offerAuthor(author, meaning.rank) }
  }

  /// RSS writes `address (Name)`; here, as everywhere else, the name comes first.
  /// - Parameter text: ends in a closing parenthesis.
  private static func nameFirst(_ text: String) -> String {
    guard let open = text.firstIndex(of: "(") else { return text }
    let before = String(text[..<open]).nonEmpty ?? ""
    let inside = String(text[text.index(after: open)...].dropLast()).nonEmpty ?? ""
    guard before.contains("@"), !before.contains(where: \.isWhitespace), !inside.isEmpty else { return text }
    return "\(inside) (\(before))"
  }
}
