/// Recognizes, by their names, types whose records each tie their creator to something: who subscribed, who follows.
enum Membership {
  /// Words that mean it wherever they stand in a name.
  private static let anywhere = ["subscri", "favorite", "favourite", "bookmark", "participa", "attend"]
  private static let anywhereWhole: Set<String> = ["membership", "follower", "following"]

  /// Words that mean it at the end of a name.
  private static let last: Set<String> = [
    "like", "vote", "rating", "follow", "reaction", "rsvp", "checkin", "readstate", "readstatu", "readstatus",
  ]

  /// Words that mean it after certain others: a `ContentBlock` blocks nobody, a `TeamMember` may be in a roster that
  /// one coach keeps.
  private static let lastAfter: [String: Set<String>] = [
    "member": [
      "group", "channel", "chat", "room", "community", "club", "circle", "league", "session", "event",
      "conversation", "server", "list", "party", "guild",
    ],
    "block": ["user", "member", "contact", "account", "profile", "person"],
    "report": ["abuse", "user", "content", "comment", "post", "message", "spam"],
    "history": [
      "watch", "watching", "read", "reading", "listen", "listening", "play", "playback", "view", "viewing",
      "search", "browsing", "purchase", "user",
    ],
  ]

  /// What an app offers or sets up, and no person's act.
  private static let offers: Set<String> = [
    "plan", "product", "tier", "offer", "price", "type", "template", "config", "configuration", "setting",
    "option", "category", "level", "kind", "definition", "catalog",
  ]
  /// A subscription with these is somebody's bill.
  private static let money: Set<String> = ["price", "amount", "currency", "cost", "billing", "renewal"]

  static func isOne(_ type: RecordTypeDeclaration) -> Bool {
    let name = NameWords(type.name)
    let meaning = name.words.filter { $0 != "record" && $0 != "entity" }
    guard !offers.contains(meaning.last ?? ""), matches(meaning) else { return false }
    return !type.fields.contains { NameWords($0.name).contains(money) }
  }

  private static func matches(_ words: [String]) -> Bool {
    if words.contains(where: { word in anywhere.contains { word.hasPrefix($0) } }) { return true }
    if words.contains(where: anywhereWhole.contains) { return true }
    guard let end = words.last else { return false }
    let lastTwo = words.suffix(2).joined()
    // A content's rating says something about the content.
    if lastTwo == "contentrating" || lastTwo == "agerating" { return false }
    if last.contains(end) || last.contains(lastTwo) { return true }
    if words.contains("blocked") { return true }
    return lastAfter[end].map { before in words.dropLast().last.map(before.contains) ?? false } ?? false
  }
}
