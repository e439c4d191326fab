import CustomDump
import Testing

@testable import SchemaLanguage

@Suite struct IdentifierWordsTests {
  @Test(
    "a name is taken apart at capitals, where an abbreviation keeps its plural",
    arguments: [
      ("CD_userIDs", "user id"), ("FeedSubscription", "feed subscription"),
      ("userIDsOfFriends", "user id of friend"),
      ("URLsSeen", "url seen"), ("HTMLStory", "html story"), ("IDsize", "i dsize"),
      ("feed_URL2s", "feed url s"),
      ("busStatuses", "bus statuse"), ("glassIs", "glass is"), ("_2", ""), ("CD_", ""), ("as", "as"),
    ])
  func words(name: String, words: String) {
    expectNoDifference(IdentifierWords(name).words.joined(separator: " "), words)
  }

  @Test(
    "digits after a name hide no person",
    arguments: [
      ("userId2", "STRING", true), ("owner_id_01", "STRING", true), ("emailAddress1", "STRING", true),
      ("member3", "REFERENCE", true), ("creators_2", "LIST<REFERENCE>", true), ("member3", "STRING", false),
      ("feed2", "REFERENCE", false), ("idea1", "STRING", false), ("user_2x", "REFERENCE", false),
    ])
  func numbered(name: String, type: String, isFound: Bool) {
    let found = SchemaLinter.diagnostics(
      parse(
        schema("\"___recordID\" REFERENCE QUERYABLE,\n\(name) \(type),\nGRANT READ, CREATE TO \"_icloud\"")))
    expectNoDifference(found.codes, isFound ? ["CK0306"] : [])
  }
}
