internal import XMLReading

/// The feeds in the values of HTTP `Link` headers (RFC 8288, section 3).
enum LinkHeader {
  /// The targets, as written, of values with a feed's relation and type.
  static func feeds(in values: [String]) -> [String] {
    values.flatMap { split($0, at: ",") }.prefix(50).compactMap { value in
      let parts = split(value, at: ";")
      guard let target = parts.first?.nonEmpty, target.hasPrefix("<"), target.hasSuffix(">") else {
        return nil
      }
      let href = String(target.dropFirst().dropLast())
      let relations = parameter("rel", of: parts).lowercased().split(whereSeparator: \.isWhitespace)
      let type = parameter("type", of: parts).prefix { $0 != ";" }.lowercased()
      let isFeed = FeedLinkRelation.isFeed(Set(relations.map(String.init)), type: type.nonEmpty, href: href)
      return isFeed ? href : nil
    }
  }

  private static func parameter(_ name: String, of parts: [String]) -> String {
    for part in parts.dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, String(sides[0]).nonEmpty?.lowercased() == name else { continue }
      let value = String(sides[1]).nonEmpty ?? ""
      return value.hasPrefix("\"") && value.hasSuffix("\"") && value.utf8.count > 1
        ? String(value.dropFirst().dropLast()) : value
    }
    return ""
  }

  /// Splits outside angle brackets and quotes.
  private static func split(_ text: String, at separator: Character) -> [String] {
    var parts = [""]
    var closing: Character?
    for character in text {
      if let end = closing {
        if character == end { closing = nil }
      } else if character == "<" {
        closing = ">"
      } else if character == "\"" {
        closing = "\""
      } else if character == separator {
        parts.append("")
        continue
      }
      parts[parts.count - 1].append(character)
    }
    return parts
  }
}
