import Testing

@testable import FeedHealth

@Suite struct RobotsRulesTests {
  private func allows(_ text: String, _ path: String) -> Bool {
    RobotsRules(text, agent: "celestra-admin").allows(path)
  }

  @Test("the group that names the agent counts alone; otherwise that of everybody")
  func groups() {
    let text = "User-agent: *\nDisallow: /\n\nUser-agent: Celestra-Admin\nUser-agent: other\nDisallow: /x"
    #expect(allows(text, "/feed"))
    #expect(!allows(text, "/x/feed"))
    #expect(!RobotsRules(text, agent: "somebody").allows("/feed"))
  }

  @Test(
    "the longest match decides, allowing when equal",
    arguments: [
      ("Disallow: /a\nAllow: /a/b", "/a/b/c", true), ("Allow: /a\nDisallow: /a/b", "/a/b", false),
      ("Disallow: /a\nAllow: /a", "/a", true), ("Disallow:", "/a", true),
      ("Disallow: /*.xml$", "/feed.xml", false), ("Disallow: /*.xml$", "/feed.xml?x", true),
      ("Disallow: /a*b*c", "/axxbxxc", false), ("Disallow: /a*b*c", "/axxc", true),
      ("Disallow: /*", "/", false),
      ("Disallow: /p # private", "/p", false),
    ])
  func matching(rules: String, path: String, expected: Bool) {
    #expect(allows("User-agent: *\n" + rules, path) == expected)
  }

  @Test("many stars cost no more than their length")
  func hostile() {
    let pattern = String(repeating: "*a", count: 2000) + "b"
    #expect(allows("User-agent: *\nDisallow: /\(pattern)", "/" + String(repeating: "a", count: 4000)))
  }

  @Test(
    "text that is not a robots.txt allows everything",
    arguments: ["", "<html>", "Disallow: /", "::::\n\u{0}"])
  func nonsense(text: String) { #expect(allows(text, "/feed")) }
}
