internal import XMLReading

/// Finds the feeds that an HTML page links to.
public enum FeedAutodiscovery {
  private static let types: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
  ]
  /// Bytes of a page that are searched; the links belong in its head.
  private static let window = 256 << 10

  /// The absolute URLs of `<link rel="alternate" type="application/rss+xml" href="…">` and the other feed types, in
  /// document order, each once.
  ///
  /// - Parameter baseURL: the page's URL, which relative links are resolved against.
  public static func feedURLs(in page: some Sequence<UInt8>, baseURL: String?) -> [String] {
    let bytes = Array(page.prefix(window))
    var found: [String] = []
    let base = baseURL.flatMap(BaseURL.init)
    bytes.withUnsafeBufferPointer { buffer in
      var index = 0
      while let open = buffer[index...].firstIndex(of: UInt8(ascii: "<")) {
        index = open + 1
        let rest = UnsafeBufferPointer(rebasing: buffer[index...])
        guard rest.startsIgnoringCase("link"), rest.count > 4, rest[4].isSpace else { continue }
        let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? rest.endIndex
        guard let address = feedURL(UnsafeBufferPointer(rebasing: rest[4..<end])) else { continue }
        let absolute = URLResolver.resolve(address, against: base)
        if !found.contains(absolute) { found.append(absolute) }
      }
    }
    return found
  }

  private static func feedURL(_ tag: UnsafeBufferPointer<UInt8>) -> String? {
    let attributes = attributes(tag)
    let relations = (attributes["rel"] ?? "").lowercased().split(separator: " ")
    guard relations.contains("alternate") || relations.contains("feed"),
      let type = attributes["type"]?.lowercased(), types.contains(type)
    else { return nil }
    return attributes["href"]?.nonEmpty
  }

  private static func attributes(_ tag: UnsafeBufferPointer<UInt8>) -> [String: String] {
    var result: [String: String] = [:]
    var index = 0
    while index < tag.count {
      let start = index
      while index < tag.count, tag[index].isNameByte { index += 1 }
      guard index > start else {
        index += 1
        continue
      }
      let name = String(decoding: tag[start..<index], as: UTF8.self).lowercased()
      while index < tag.count, tag[index].isSpace { index += 1 }
      guard index < tag.count, tag[index] == UInt8(ascii: "=") else { continue }
      index += 1
      while index < tag.count, tag[index].isSpace { index += 1 }
      result[name] = result[name] ?? value(tag, &index)
    }
    return result
  }

  private static func value(_ tag: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> String {
    guard index < tag.count else { return "" }
    let quote = tag[index]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    if isQuoted { index += 1 }
    let start = index
    while index < tag.count, isQuoted ? tag[index] != quote : !tag[index].isSpace { index += 1 }
    let raw = UnsafeBufferPointer(rebasing: tag[start..<index])
    if isQuoted { index += 1 }
    return References.resolve(raw)
  }
}
