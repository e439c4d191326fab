internal import Diagnostics

/// A site whose feed URLs can be derived from the URLs of its pages
/// (Documentation/reference/curation.md#known-sites).
package struct KnownFeedSite: Sendable {
  /// What the pages show: "YouTube channel".
  package let name: String
  /// A host, or `*.` and the end of one. `www.`, `m.`, `old.` and `new.` before it do not count.
  let host: String
  /// The path's segments: a word; `{name}` for any; `{name=a|b}` for one of these; `{name!a|b}` for any but these;
  /// `**` for any number of them. Then a query's parameter, if one is needed: `?list={id}`.
  let pattern: String
  /// The feeds' addresses, with the names of the pattern, `{host}` and `{root}`, in the order they are offered.
  let feeds: [String]
  /// A page, and its first feed.
  package let example: (page: String, feed: String)

  /// The feed URLs of a page, with the site's name; `nil` for an unknown site. Fetches nothing.
  package static func feeds(ofPage page: WebAddress) -> (site: String, feeds: [String])? {
    let bare = bare(page.host)
    for index in table.indices where isOn(page.host, bare, table[index].host) {
      let site = table[index]
      if let values = site.match(page) { return (site.name, site.feeds.map { fill($0, values) }) }
    }
    return nil
  }

  /// Whether many publishers share the host, so that two feeds on it may be unrelated.
  package static func hasManyPublishers(_ host: String) -> Bool {
    let host = bare(host)
    return sharedHosts.contains(host) || table.contains { $0.host == host }
  }

  /// Whether the publisher of an address may be another one's than that of an earlier address: the host changes, `www.`
  /// apart, or the account in it, or anything on a site with many publishers.
  static func mayBelongToOthers(_ from: String, _ to: String) -> Bool {
    guard let old = WebAddress(from), let new = WebAddress(to), old.host.withoutWWW == new.host.withoutWWW,
      !hasManyPublishers(old.host)
    else { return true }
    return accounts(in: old) != accounts(in: new)
  }

  /// The parts of an address that name an account of a host: `@ann` and `~ann` in its path, what follows `users` or the
  /// like there, and parameters such as `channel_id`.
  private static func accounts(in address: WebAddress) -> Set<String> {
    func name(_ part: Substring) -> String {
      FeedURLComparisonKey.unescaped(String(part.split(separator: ".").first ?? part))
    }
    let path = address.path.split(separator: "/")
    let named = zip([""] + path, path).filter { before, part in
      part.hasPrefix("@") || part.hasPrefix("~") || accountFolders.contains(before.lowercased())
    }
    let parameters = address.query.split(separator: "&").filter { parameter in
      let key = parameter.prefix { $0 != "=" }.lowercased().filter(\.isLetter)
      return accountParameters.contains { key == $0 || key == $0 + "id" || key == $0 + "name" }
    }
    return Set(named.map { name($0.1) } + parameters.map(String.init))
  }

  private static let accountFolders: Set = [
    "user", "users", "u", "channel", "channels", "c", "author", "authors", "account", "accounts", "people",
    "profile", "profiles", "members",
  ]
  private static let accountParameters = [
    "user", "channel", "videochannel", "account", "author", "playlist", "u", "profile",
  ]

  /// A host without `www.` and its like.
  package static func bare(_ host: String) -> String {
    for prefix in ["www.", "m.", "old.", "new."] where host.hasPrefix(prefix) {
      return String(host.dropFirst(prefix.count))
    }
    return host
  }

  private static func fill(_ template: String, _ values: [String: String]) -> String {
    values.reduce(template) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  private func match(_ page: WebAddress) -> [String: String]? {
    // With a format in its query, the address is a feed's already.
    guard !page.query.contains("format=") else { return nil }
    var values = ["host": page.host, "root": "\(page.scheme)://\(page.authority)"]
    let parts = pattern.split(separator: "?", omittingEmptySubsequences: false)
    var segments = page.path.split(separator: "/")[...]
    for wanted in parts[0].split(separator: "/") {
      if wanted == "**" {
        segments = []
      } else {
        guard let segment = segments.popFirst(), Self.match(segment, wanted, &values) else { return nil }
      }
    }
    guard segments.isEmpty else { return nil }
    guard parts.count > 1 else { return values }
    return page.query.split(separator: "&").contains { Self.match($0, parts[1], &values) } ? values : nil
  }

  /// - Parameters:
  ///   - bare: the host without `www.` and its like.
  ///   - wanted: a site's ``host``. Not the site, whose copy would take longer than this.
  private static func isOn(_ host: String, _ bare: String, _ wanted: String) -> Bool {
    guard wanted.utf8.first == UInt8(ascii: "*") else { return bare == wanted }
    // As a string of its own, whose end is compared byte by byte.
    return host.utf8.count >= wanted.utf8.count && host.hasSuffix(String(wanted.dropFirst()))
  }

  /// `text{name}`, at most one name in a segment.
  private static func match(
    _ segment: Substring, _ wanted: Substring, _ values: inout [String: String]
  ) -> Bool {
    guard let open = wanted.firstIndex(of: "{") else { return segment == wanted }
    guard segment.hasPrefix(wanted[..<open]) else { return false }
    let value = segment[segment.index(segment.startIndex, offsetBy: wanted[..<open].count)...]
    let name = wanted[wanted.index(after: open)...].dropLast()
    guard !value.isEmpty, ![".rss", ".atom", ".xml", ".json"].contains(where: value.hasSuffix) else {
      return false
    }
    if let mark = name.firstIndex(where: { $0 == "=" || $0 == "!" }) {
      let listed = name[name.index(after: mark)...].split(separator: "|").contains(value)
      guard listed == (name[mark] == "=") else { return false }
      values[String(name[..<mark])] = String(value)
    } else {
      values[String(name)] = String(value)
    }
    return true
  }

  // MARK: The table

  private static let file: JSONValue = {
    guard let file = try? JSONValue(parsing: PackageResources.KnownFeedSites_json) else {
      preconditionFailure("KnownFeedSites.json is not JSON")
    }
    return file
  }()

  /// In the order they are tried. `RESERVED` in a pattern stands for the paths of GitHub's own that look like users.
  package static let table: [KnownFeedSite] = (file["sites"]?.array ?? []).map { row in
    let text = { (key: String) in row[key]?.string ?? "" }
    return KnownFeedSite(
      name: text("name"), host: text("host"),
      pattern: text("path").replacing("RESERVED", with: file["reserved"]?.string ?? ""),
      feeds: row["feeds"]?.strings ?? [], example: (text("page"), text("feed")))
  }

  /// Hosts that only serve feeds, or many people's pages, and have no rule of their own.
  private static let sharedHosts = Set(file["sharedHosts"]?.strings ?? [])
}
