internal import XMLReading

/// Recognizes the entries with which a feed bridge, a program that makes a feed of a site without one, reports its own
/// error (Documentation/reference/feeds.md#errors-of-bridges).
struct BridgeErrorEntry {
  /// What the feed says of its making, and its authors.
  private let names: [String]
  private let addresses: [String]
  /// An entry that is the only one of its document needs no other sign.
  private let isOnly: Bool

  init(of feed: ParsedFeed, authors: String?, items: Int) {
    names = [feed.generator, authors].compactMap(\.self)
    addresses = [feed.feedURL, feed.documentURL, feed.siteURL].compactMap(\.self)
    isOnly = items == 1
  }

  /// - Parameter url: empty for an entry without a link.
  func matches(title: UnsafeBufferPointer<UInt8>, url: UnsafeBufferPointer<UInt8>) -> Bool {
    // Hardly any title begins like this, so no text is made of the others.
    guard let mark = Self.marks.first(where: { title.startsIgnoringCase($0.start) }),
      title.text.wholeMatch(of: mark.title()) != nil
    else { return false }
    let address = url.text
    if let host = mark.host, ([address] + addresses).contains(where: { $0.contains(host) }) { return true }
    return !mark.needsHost && (isBridge || isOnly || isNoArticle(address))
  }

  private var isBridge: Bool {
    names.contains { $0.lowercased().contains("rss-bridge") }
      || addresses.contains(where: Self.isBridgeAddress)
  }

  /// An article about such an error has an address of its own.
  private func isNoArticle(_ address: String) -> Bool {
    address.isEmpty || addresses.contains(address) || Self.isBridgeAddress(address)
      || address.wholeMatch(of: /https?:\/\/[^\/?#]*\/?/) != nil
  }

  private static func isBridgeAddress(_ address: String) -> Bool {
    address.contains("_error_time=") || address.contains("action=display") && address.contains("bridge=")
  }

  private struct Mark: Sendable {
    /// Its first words, in lower case.
    let start: StaticString
    let title: @Sendable () -> Regex<Substring>
    /// What an address of the program contains.
    var host: String?
    /// Others give articles the same title.
    var needsHost = false
  }

  private static let marks = [
    Mark(start: "bridge returned error ", title: { /Bridge returned error -?[0-9]+!?(?: \(.*\))?/ }),
    Mark(
      start: "rss reader not yet whitelisted", title: { /RSS reader not yet whitelisted[!.]*/ },
      host: "xcancel.com"),
    Mark(
      start: "maintenance required", title: { /Maintenance required/ }, host: "rssproxy.migor.org",
      needsHost: true),
  ]
}
