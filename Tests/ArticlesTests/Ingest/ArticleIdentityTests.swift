import Articles
import Testing

/// The vectors are published for apps in Documentation/reference/articles.md.
@Suite struct ArticleIdentityTests {
  @Test(
    "record names follow from feed and guid",
    arguments: [
      ("feed", "guid", "e65f191c2fe14f172a256f352a691f93123b8743c5791b5bd33a026393953f6a"),
      (
        "1f361938-a855-52e3-b65b-31b7915bd3fc", "https://example.com/?p=1",
        "9091e1b388e18e1b48df9fd77b140a73bbdb1ddff2a73fa143265ece6d098a41"
      ),
      ("feed", "grüße|日本", "b14576b0ed547ab244d003fc25c9035e357beb9363f43ac0b8e55060308fc608"),
    ])
  func recordNames(feed: String, guid: String, expected: String) {
    #expect(ArticleIdentity.recordName(feed: feed, guid: guid) == expected)
  }

  @Test(
    "content hashes follow from title, address and text",
    arguments: [
      (
        String?("Title"), String?("https://example.com/1"), "The text.",
        "4ab94824f3cff16614d3ec5e1388ae1faf0f681fa131946a6a749312384ee1d8"
      ), (nil, nil, "", "75a11da44c802486bc6f65640aa48a730f0f684c5c07a42ba3cd1735eb3fb070"),
    ])
  func hashes(title: String?, url: String?, text: String, expected: String) {
    #expect(ArticleIdentity.contentHash(title: title, url: url, text: text) == expected)
  }
}
