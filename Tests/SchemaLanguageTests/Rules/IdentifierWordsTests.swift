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
    ])
  func words(name: String, words: String) {
    expectNoDifference(IdentifierWords(name).words.joined(separator: " "), words)
  }
}
