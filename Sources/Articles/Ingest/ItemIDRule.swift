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
