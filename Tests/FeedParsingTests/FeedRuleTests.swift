import Diagnostics
import FeedParsing
import Testing

@Suite("Rules of feed documents") struct FeedRuleTests {
  @Test(
    "the example of a rule has its finding, the document to use instead does not", arguments: FeedRule.rules)
  func example(rule: Rule) {
    let found = findings(in: rule.example)
    #expect(found.map(\.code).contains(rule.code), "found \(found.map(\.code))")
    #expect(found.allSatisfy { $0.severity == .warning })
    #expect(!findings(in: rule.useInstead).map(\.code).contains(rule.code))
  }

  /// A first line `Content-Type:` is the header; `{N × TEXT}` stands for N times the text.
  private func findings(in example: String) -> [Diagnostic] {
    let header = "Content-Type: "
    var document = Substring(example)
    var contentType: String?
    if example.hasPrefix(header) {
      let lines = example.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      contentType = String(lines[0].dropFirst(header.count))
      document = lines[1]
    }
    let text = document.replacing(/\{([0-9]+) × ([^}]*)\}/) {
      String(repeating: String($0.2), count: Int($0.1) ?? 0)
    }
    return FeedParser.parse(Array(text.utf8), contentType: contentType, baseURL: "https://example.com/feed")
      .diagnostics
  }
}
