internal import Catalog
internal import Cryptography
internal import FeedParsing

/// The parts that separate a feed's items (Documentation/reference/articles.md#id-rules). Each rule contains the one
/// before it.
package enum ItemIDRule: Int, Sendable, Comparable, CaseIterable {
  case id = 1
  case link
  case title
  case date
  case content

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  /// The rule whose form a guid has; ``id`` for an id as the feed declares it.
  init(guid: String) {
    let bytes = guid.utf8
    guard bytes.count == 66, let digit = bytes.first,
      let number = Character(Unicode.Scalar(digit)).wholeNumberValue,
      number > 1, let rule = ItemIDRule(rawValue: number), bytes.dropFirst().first == UInt8(ascii: ":"),
      bytes.dropFirst(2).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      self = .id
      return
    }
    self = rule
  }

  /// The beginning of a guid of this rule.
  var prefix: String { "\(rawValue):" }
}

/// What separates an item of a feed from its other items.
struct ItemIdentity: Sendable, Hashable {
  /// The id that the item declares, else ``link``; `nil` without either.
  let id: String?
  let declaresID: Bool
  /// Without fragment and tracking parameters; `nil` for one that identifies nothing.
  var link: String?
  /// As it is stored, before it is cut.
  let title: String?
  let date: FeedDate?
  let enclosure: String?
  /// SHA-256 of text, line feed and enclosure. Empty where no two items need it.
  var content = ""

  /// The item has nothing that could be shown.
  var isEmpty: Bool { id == nil && title == nil && enclosure == nil && content == Self.emptyContent }

  private static let emptyContent = contentDigest(text: "", enclosure: nil)

  /// The value of ``content``.
  static func contentDigest(text: String, enclosure: String?) -> String {
    SHA256.hex("\(text)\n\(enclosure ?? "")")
  }

  /// The rule by which the item has a name of its own at the least: one without an id needs more.
  var lowestRule: ItemIDRule {
    if let id { return ItemIDRule(guid: id) == .id ? .id : .link }
    if title != nil { return .title }
    return date != nil ? .date : .content
  }

  /// The guid of the item's article.
  ///
  /// - Parameter rule: that of the feed.
  func guid(under rule: ItemIDRule) -> String {
    let rule = max(rule, lowestRule)
    if rule == .id { return id ?? "" }
    let parts = [
      id ?? "", link ?? "", title ?? "", date.map { String($0.milliseconds) } ?? "", content,
    ]
    return rule.prefix + SHA256.hex(parts.prefix(rule.rawValue).joined(separator: "\n"))
  }

  /// What the ids of some items are worth.
  enum Trust {
    /// The feed's format demands that ids are unique, and the feed did not show otherwise.
    case unique
    case usual
    /// They do not tell the items apart.
    case none
  }

  /// Whether two items of one document with the same id are different items, not revisions of one.
  func meets(_ other: ItemIdentity, _ trust: Trust) -> Bool {
    switch trust {
    case .unique: link != other.link
    case .usual:
      link != other.link || enclosure != other.enclosure
        || date != other.date && (title != other.title || title == nil && content != other.content)
    case .none: self != other
    }
  }
}

/// The address of an item, as far as it says which item it is (Documentation/reference/articles.md#tracking-parameters).
enum ItemAddress {
  /// The address without fragment and tracking parameters.
  static func identifying(_ address: String) -> String {
    let normalized = WebAddress.spelled(address)
    guard normalized.utf8.contains(UInt8(ascii: "?")), let start = normalized.firstIndex(of: "?") else {
      return normalized
    }
    let all = parameters(of: normalized)
    let kept = all.filter { !isTracking($0) }
    guard kept.count < all.count else { return normalized }
    return normalized[..<start] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }

  /// What two ids or links have in common that are alike: all but scheme, host, a slash at the end, fragment, and parameters
  /// of tracking and sessions. Other text stays, but for what follows a `#`.
  ///
  /// - Parameter ignored: names of parameters that are new at each fetch.
  static func likeness(_ address: String, ignoring ignored: Set<String> = []) -> String {
    guard let web = WebAddress(address) else { return String(address.prefix { $0 != "#" }) }
    let kept = parameters(of: address.prefix { $0 != "#" }).filter {
      !isTracking($0) && !ignored.contains(name(of: $0))
    }
    var path = web.path
    if let session = path.firstRange(of: ";jsessionid=") {
      let end = path[session.upperBound...].firstIndex { $0 == "/" || $0 == ";" } ?? path.endIndex
      path.removeSubrange(session.lowerBound..<end)
    }
    if path.hasSuffix("/") { path.removeLast() }
    return "\(path)?\(kept.joined(separator: "&"))"
  }

  /// The address with each scheme, and with and without `www.`.
  static func spellings(of address: String) -> [String?] {
    guard let start = address.firstRange(of: "://")?.upperBound else { return [] }
    let rest = address[start...].hasPrefix("www.") ? address[start...].dropFirst(4) : address[start...]
    return ["http", "https"].flatMap { scheme in ["", "www."].map { "\(scheme)://\($0)\(rest)" } }
  }

  /// The names of the parameters whose values differ in two addresses that have the same path and names.
  static func changedParameters(_ one: String, _ other: String) -> Set<String> {
    guard let first = WebAddress(one), let second = WebAddress(other), first.path == second.path else {
      return []
    }
    let (mine, others) = (parameters(of: one), parameters(of: other))
    guard mine.map(name) == others.map(name) else { return [] }
    return Set(zip(mine, others).filter { $0 != $1 }.map { name(of: $0.0) })
  }

  private static func parameters(of address: some StringProtocol) -> [Substring] {
    guard let start = address.firstIndex(of: "?") else { return [] }
    return Substring(address[address.index(after: start)...]).split(separator: "&")
  }

  private static func name(of parameter: Substring) -> String {
    parameter.prefix { $0 != "=" }.lowercased()
  }

  private static func isTracking(_ parameter: Substring) -> Bool {
    FeedURLComparisonKey.isTracking(name(of: parameter))
  }
}
