extension FeedBuilder {
  /// The end of an author that was one text, or of a name or an address inside an author.
  mutating func closePersonText(_ bytes: UnsafeBufferPointer<UInt8>, _ meaning: Meaning) {
    let text = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    switch meaning.role {
    case .personName: personName = personName ?? text
    case .personEmail: personEmail = personEmail ?? text
    default: closePerson(meaning, text: text)
    }
  }

  /// The end of an author: `Name (address)`, or whichever of the two there is.
  mutating func closePerson(_ meaning: Meaning, text: String?) {
    let author =
      switch (personName, personEmail) {
      case (let name?, let email?): "\(name) (\(email))"
      case (let name?, nil): name
      case (nil, let email?): email
      case (nil, nil): text.map(Self.nameFirst)
      }
    if place == .item { item.author.offer(author, meaning.rank) }
  }

  /// RSS writes `address (Name)`; here, as everywhere else, the name comes first.
  private static func nameFirst(_ text: String) -> String {
    guard text.utf8.last == UInt8(ascii: ")"), let open = text.firstIndex(of: "(") else { return text }
    let before = String(text[..<open]).nonEmpty ?? ""
    let inside = String(text[text.index(after: open)...].dropLast()).nonEmpty ?? ""
    guard before.contains("@"), !before.contains(where: \.isWhitespace), !inside.isEmpty else { return text }
    return "\(inside) (\(before))"
  }
}
