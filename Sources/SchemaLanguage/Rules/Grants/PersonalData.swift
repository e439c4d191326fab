/// Recognises, by their names, types and fields that say something about a person.
enum PersonalData {
  /// Ends of type names whose records each tie their creator to something: who subscribed, liked, voted,
  /// blocked.
  private static let memberships = [
    "subscription", "membership", "favorite", "favourite", "bookmark", "like", "vote", "rating", "follow",
    "follower", "block", "report", "reaction", "attendance", "readstate", "history",
  ]

  /// Ends of field names that hold who somebody is.
  private static let identifiers = [
    "userid", "userids", "userrecordname", "userrecordid", "useridentifier", "hostid", "ownerid", "authorid",
    "memberid", "memberids", "participantid", "creatorid", "senderid", "receiverid", "deviceid",
    "email", "emailaddress", "phone", "phonenumber", "appleid",
  ]

  static func isMembership(_ typeName: String) -> Bool {
    let name = typeName.lowercased()
    return memberships.contains { name.hasSuffix($0) || name.hasSuffix($0 + "s") }
  }

  static func isIdentifier(_ fieldName: String) -> Bool {
    let name = fieldName.lowercased().filter { $0 != "_" }
    return identifiers.contains { name.hasSuffix($0) }
  }
}
