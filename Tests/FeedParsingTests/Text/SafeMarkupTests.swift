import Testing

@testable import FeedParsing

@Suite struct SafeMarkupTests {
  @Test("text and attributes are escaped, and control characters dropped")
  func escaping() {
    var markup = SafeMarkup(maxBytes: .max)
    markup.start("p", [("title", "a\"<&>")])
    markup.add("a & b < c > d \"e\"\n\tf\u{1}\u{1F}\r~")
    #expect(
      markup.finished()
        == "<p title=\"a&quot;&lt;&amp;&gt;\">a &amp; b &lt; c &gt; d &quot;e&quot;\n\tf~</p>")
  }

  @Test("an element that is not written leaves its content, and one without content has no end")
  func elements() {
    var markup = SafeMarkup(maxBytes: .max)
    markup.startUnwritten()
    markup.start("b", [])
    markup.start("br", [])
    markup.end()
    markup.add("x")
    markup.end()
    markup.end()
    markup.end()
    #expect(markup.finished() == "<b><br>x</b>")
  }

  private func cut(_ html: String, to bytes: Int, original: String? = nil) -> String {
    ArticleText.cut(html: html, to: bytes, original: original)
  }

  @Test(
    "the result ends with the last block, word or character that fits, with the ends of the open elements")
  func fitting() {
    let two = "<p>a</p><p>b</p>"
    for (bytes, expected) in [(16, two), (15, "<p>a</p>"), (8, "<p>a</p>"), (7, ""), (0, "")] {
      #expect(cut(two, to: bytes) == expected, "\(bytes)")
    }
    let nested = "<div><p>a</p><p>b</p></div>"
    for (bytes, expected) in [
      (27, nested), (26, "<div><p>a</p></div>"), (19, "<div><p>a</p></div>"), (18, ""),
    ] {
      #expect(cut(nested, to: bytes) == expected, "\(bytes)")
    }
    // If more than half of the room would be lost so, it ends with a word, else with a character, all elements closed.
    for (html, bytes, expected) in [
      ("<p>a</p><b>cc</b>d", 17, "<p>a</p><b>cc</b>"),
      ("<div><p>one <b>two three</b></p></div>", 35, "<div><p>one <b>two</b></p></div>"),
      ("<div><p>one <b>two three</b></p></div>", 30, "<div><p>one <b>t</b></p></div>"),
      ("<p>&lt;&lt;&lt;</p>", 18, "<p>&lt;&lt;</p>"), ("<p>日本語</p>", 15, "<p>日本</p>"),
      ("<p><img src=\"http://e/1\"><img src=\"http://e/2\"></p>", 50, "<p><img src=\"http://e/1\"></p>"),
    ] {
      #expect(cut(html, to: bytes) == expected, "\(bytes)")
    }
    // An element that is not written adds nothing.
    let unwritten = "<font><p>a</p><p>b</p></font>"
    #expect(cut(unwritten, to: 8) == "<p>a</p>" && cut(unwritten, to: 7) == "")
  }

  @Test("the link to the original is part of the length")
  func original() {
    let link = "<p><a href=\"http://e/\">…</a></p>"
    let two = "<p>a</p><p>\(String(repeating: "b", count: 40))</p>"
    for (bytes, expected) in [(8 + 34, "<p>a</p>" + link), (8 + 33, link), (0, link)] {
      #expect(cut(two, to: bytes, original: "http://e/") == expected, "\(bytes)")
    }
  }

  @Test(
    "a text is cut at a line or a word unless half of the room would be lost, and never within a character",
    arguments: [
      ("aaa bbb", 7, "aaa bbb"), ("aaa bbb", 6, "aaa…"), ("aa bb cc", 7, "aa b…"), ("aa bb cc", 6, "aa…"),
      ("aaaa\nb cd", 8, "aaaa…"),
      ("aa\nbb cc dd", 10, "aa\nbb…"), ("aaa\nb c d", 8, "aaa…"), ("ééé", 6, "ééé"), ("ééé", 5, "é…"),
      ("ééé", 4, "…"), ("abc", 2, "…"), ("abc", 0, "…"), ("", 0, ""), ("aaaaaaaa", 7, "aaaa…"),
    ])
  func text(text: String, bytes: Int, expected: String) {
    #expect(ArticleText.cut(text: text, to: bytes) == expected)
  }

  @Test("the first picture that may be shown is the picture of a text, whether its markup is kept or not")
  func pictures() {
    for keeps in [false, true] {
      let html =
        "<p><img src='x:1'><img src='http://e/1' width=1><img src='http://e/2'><img src='http://e/3'></p>"
      #expect(ArticleText(html: html, keepsMarkup: keeps).imageURL == "http://e/2")
      #expect(ArticleText(html: "<p src='http://e/1'>a", keepsMarkup: keeps).imageURL == nil)
      #expect(ArticleText(html: "<p>a", keepsMarkup: keeps).html == (keeps ? "<p>a</p>" : ""))
      #expect(ArticleText(plain: "a", keepsMarkup: keeps).html == (keeps ? "<p>a</p>" : ""))
    }
    #expect(ArticleText(html: "<p>a").html == "" && ArticleText(plain: "a").html == "")
  }
}
