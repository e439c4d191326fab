import FeedParsing
import HTTPTransport
import Testing

@testable import FeedHealth

@Suite struct UnlistedWallTests {
  private func isWall(_ body: String, status: Int = 200) -> Bool {
    let page = WebPage(body.utf8, url: "http://a.example/feed")
    return UnlistedWall.find(in: .status(status, [], body), body.lowercased(), page) != nil
  }

  private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Test(
    "a short page asks for a person, for scripts, or for cookies (Documentation/reference/feeds.md#walls)",
    arguments: [
      ("<title>Captcha</title>", true), ("<title>Verification</title>", true), ("<title>News</title>", false),
      ("<p>JavaScript", true),
      ("<p>a captcha", true), ("<p>enable cookies", true), ("<p>cookies", false), ("<p>enable", false),
      ("<p>captions", false),
      ("<script>document.cookie='a';location.reload()</script>", true),
      ("<script>document.cookie='a'</script>", false),
      ("<script>location.reload()</script>", false), ("<noscript>JavaScript</noscript>", false), ("", false),
    ])
  func requests(body: String, expected: Bool) {
    #expect(isWall(body) == expected)
  }

  @Test("only statuses count with which a wall answers")
  func statuses() {
    for status in [200, 201, 202, 203, 204, 400, 401, 403, 404, 405, 406, 407, 410, 429, 500, 502, 503, 504] {
      let expected = [200, 202, 203, 401, 403, 405, 406, 429, 503].contains(status)
      #expect(isWall("<p>JavaScript", status: status) == expected, "\(status)")
    }
  }

  @Test("the page has less than 16 KiB, fewer than four links, and less than 800 bytes of text")
  func limits() {
    for (count, expected) in [(16_383, true), (16_384, false)] {
      let text = "<p>JavaScript<!--"
      #expect(isWall(text + Self.letters(count - text.utf8.count)) == expected, "\(count)")
    }
    for (count, expected) in [(3, true), (4, false)] {
      #expect(
        isWall("<p>JavaScript" + String(repeating: "<a href=x></a>", count: count)) == expected, "\(count)")
    }
    // The text ends with a space.
    for (count, expected) in [(798, true), (799, false)] {
      #expect(isWall("<p>JavaScript" + Self.letters(count - 10)) == expected, "\(count)")
    }
  }
}
