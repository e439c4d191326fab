internal import Cryptography
internal import FeedParsing

/// The parts that separate a feed's items (Documentation/reference/articles.md#id-rules). Each rule contains the one
/// before it.
public enum ItemIDRule: Int, Sendable, Comparable, CaseIterable {
  case id = 1
  case link
  case title
  case date
  case content

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

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
  let link: String?
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

  /// Whether two items of one document with the same id are different items, not revisions of one.
  ///
  /// - Parameters:
  ///   - idsAreUnique: the feed's format demands that ids are unique, so that only another link counts.
  ///   - idsSayNothing: the declared ids of the feed are known not to tell its items apart.
  func meets(_ other: ItemIdentity, idsAreUnique: Bool, idsSayNothing: Bool) -> Bool {
    guard id == other.id else { return false }
    if declaresID, idsAreUnique { return link != other.link }
    guard declaresID, !idsSayNothing else { return self != other }
    return link != other.link || enclosure != other.enclosure || title != other.title && date != other.date
  }
}

/// The identities of a document's items, and the rule that tells them apart.
struct DocumentIdentities {
  private(set) var items: [ItemIdentity]
  private(set) var rule: ItemIDRule
  /// The positions of the items that are revisions of another one.
  private(set) var repeated: Set<Int> = []

  /// - Parameters:
  ///   - rule: of the feed so far.
  ///   - updated: when each item was changed; a later revision counts.
  ///   - content: ``ItemIdentity/content`` of an item.
  init(
    _ items: [ItemIdentity], rule: ItemIDRule, idsAreUnique: Bool, updated: [FeedDate?],
    content: (Int) -> String
  ) {
    self.items = items
    self.rule = rule
    let groups = Dictionary(grouping: items.indices) { items[$0].id ?? "" }.values
      .filter { $0.count > 1 || rule == .content || items[$0[0]].id == nil }
    for index in groups.joined() { self.items[index].content = content(index) }
    let shared = groups.filter { $0.count > 1 }
    for group in shared { separate(group, idsAreUnique: idsAreUnique) }
    for group in shared { findRevisions(in: group, updated) }
    guard self.rule == .content else { return }
    for index in items.indices where self.items[index].content.isEmpty {
      self.items[index].content = content(index)
    }
  }

  /// Finds the lowest rule under which the items of a group that meet have different guids.
  private mutating func separate(_ group: [Int], idsAreUnique: Bool) {
    // An id that all items of a list have is none, whatever else they share.
    let isOfAll = group.count > 2 && group.count == items.count
    while rule != .content,
      hasMeeting(group, idsAreUnique: idsAreUnique, idsSayNothing: isOfAll || rule >= .title)
    {
      rule = ItemIDRule(rawValue: rule.rawValue + 1) ?? .content
    }
  }

  private func hasMeeting(_ group: [Int], idsAreUnique: Bool, idsSayNothing: Bool) -> Bool {
    var byGUID: [String: [ItemIdentity]] = [:]
    for index in group {
      let item = items[index]
      let guid = item.guid(under: rule)
      let others = byGUID[guid, default: []]
      if others.contains(where: {
        item.meets($0, idsAreUnique: idsAreUnique, idsSayNothing: idsSayNothing)
      }) {
        return true
      }
      // Two items stand for all: those that do not meet have one title or one date. The time does not grow with their number.
      let isMore =
        others.first.map { others.count == 1 && ($0.title != item.title || $0.date != item.date) } ?? true
      if isMore { byGUID[guid, default: []].append(item) }
    }
    return false
  }

  private mutating func findRevisions(in group: [Int], _ updated: [FeedDate?]) {
    var latest: [String: Int] = [:]
    for index in group {
      let guid = items[index].guid(under: rule)
      guard let former = latest[guid] else {
        latest[guid] = index
        continue
      }
      let isLater = updated[index].map { date in updated[former].map { date > $0 } ?? true } ?? false
      repeated.insert(isLater ? former : index)
      if isLater { latest[guid] = index }
    }
  }
}
