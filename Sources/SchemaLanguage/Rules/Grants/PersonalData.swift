/// Recognises, by their names, types and fields that say something about a person. Case, underscores and a plural `s`
/// do not count: `feed_subscription` is a `FeedSubscriptions`, `user_ids` are `userIDs`.
enum PersonalData {
  /// Whatever the rest of a type's name says, its records tie their creator to something: who subscribed, who follows.
  private static let memberships = [
    "subscri", "membership", "favorite", "favourite", "bookmark", "follower", "following", "participa",
    "attend",
  ]

  /// The same at the end of a name: a `ReportTemplate` is nobody's report.
  private static let lastWords = [
    "like", "vote", "rating", "follow", "block", "report", "reaction", "readstate", "readstatus", "history",
    "member", "checkin", "rsvp",
  ]

  private static let people = [
    "user", "owner", "author", "creator", "host", "member", "participant", "attendee", "sender", "receiver",
    "recipient", "follower", "subscriber", "account", "person", "player", "profile", "customer", "device",
    "apple",
    "icloud", "createdby", "modifiedby",
  ]

  private static let references = [
    "id", "uid", "uuid", "identifier", "recordname", "recordid", "reference", "ref",
  ]

  /// Ends of field names that are somebody's address by themselves.
  private static let addresses = ["email", "emailaddress", "phone", "phonenumber", "ipaddress"]

  static func isMembership(_ typeName: String) -> Bool {
    let name = folded(typeName)
    return memberships.contains { name.contains($0) } || lastWords.contains { name.hasSuffix($0) }
  }

  /// A field that holds who somebody is. One of type REFERENCE needs no `Id` in its name.
  static func isIdentifier(_ field: FieldDeclaration) -> Bool {
    let name = folded(field.name)
    if name == "uid" || addresses.contains(where: name.hasSuffix) { return true }
    if field.type?.primitive == .reference, namesPerson(name[...]) { return true }
    return references.contains { name.hasSuffix($0) && namesPerson(name.dropLast($0.count)) }
  }

  private static func namesPerson(_ name: Substring) -> Bool { people.contains { name.hasSuffix($0) } }

  private static func folded(_ name: String) -> String {
    let letters = name.lowercased().filter { $0 != "_" }
    return letters.hasSuffix("s") && !letters.hasSuffix("us") && !letters.hasSuffix("ss")
      ? String(letters.dropLast()) : letters
  }
}
