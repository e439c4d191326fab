import Diagnostics

extension SchemaRule {
  static let readableMembership = SchemaRule("CK0305", in: .lint) { context, findings in
    for type in context.publicTypes where MembershipTypeNames.isOne(type) {
      for role in [Role.world, Role.icloud] {
        guard let grant = type.grant(of: .read, to: role) else { continue }
        findings.report(
          "everyone can read who created each \(type.name) record", at: grant.range,
          help: "grant READ to \"_creator\" and to a role of your own for counting")
      }
    }
  }
}

/// Recognizes record types, by their names, whose records show what their creator does: subscriptions, votes,
/// follows.
private enum MembershipTypeNames {
  private static let anywhere = ["subscri", "favorite", "favourite", "bookmark", "participa", "attend"]
  private static let anywhereWhole: Set<String> = ["membership", "follower", "following"]
  private static let last = NameWords.lists["memberships"]

  /// Words that show it only after certain other words: a `ContentBlock` does not block a user, and a `TeamMember`
  /// may be an entry that a coach wrote.
  private static let lastAfter = Dictionary(
    uniqueKeysWithValues: ["member", "block", "report", "history"].map {
      ($0, NameWords.lists["before \($0)"])
    })

  private static let offers = NameWords.lists["offers"]
  private static let money: Set<String> = ["price", "amount", "currency", "cost", "billing", "renewal"]

  static func isOne(_ type: RecordTypeDeclaration) -> Bool {
    let name = IdentifierWords(type.name)
    let meaning = name.words.filter { $0 != "record" && $0 != "entity" }
    guard !offers.contains(meaning.last ?? ""), matches(meaning) else { return false }
    return !type.fields.contains { IdentifierWords($0.name).contains(money) }
  }

  private static func matches(_ words: [String]) -> Bool {
    if words.contains(where: { word in anywhere.contains { word.hasPrefix($0) } }) { return true }
    if words.contains(where: anywhereWhole.contains) { return true }
    guard let end = words.last else { return false }
    let lastTwo = words.suffix(2).joined()
    // A content rating describes the content, not the user.
    if lastTwo == "contentrating" || lastTwo == "agerating" { return false }
    if last.contains(end) || last.contains(lastTwo) { return true }
    if words.contains("blocked") { return true }
    return lastAfter[end].map { before in words.dropLast().last.map(before.contains) ?? false } ?? false
  }
}
