import Diagnostics
import Testing

@Suite struct MarkdownTextTests {
  @Test(
    "each special character is escaped, even before a combining mark",
    arguments: [
      ("|", #"\|"#), ("*", #"\*"#), ("_", #"\_"#), ("`", #"\`"#), ("[", #"\["#), ("]", #"\]"#), ("~", #"\~"#),
      ("!", #"\!"#), ("\\", #"\\"#), ("$", #"\$"#), ("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"),
      ("#", "\\#\u{200B}"), ("@", "@\u{200B}"),
    ])
  func special(_ character: String, _ escaped: String) {
    for (before, after) in [("", ""), ("", "\u{301}"), ("\u{600}", ""), ("", "\u{200D}"), ("", "\u{FE0F}")] {
      let text: MarkdownText = "| \(before + character + after) |"
      #expect(text.description == "| \(before)\(escaped)\(after) |")
    }
  }

  @Test("addresses and mentions are text, never links")
  func addresses() {
    let text: MarkdownText = "\("WWW.b.example c@d.example @team #12 https:/x ://y")"
    #expect(
      text.description
        == "WWW\u{200B}.b.example c@\u{200B}d.example @\u{200B}team \\#\u{200B}12 https:/x "
        + ":\u{200B}//y")
    let html: MarkdownText = "<summary>\(html: "https://a.example/")</summary>"
    #expect(html.description == "<summary>https:\u{200B}//a.example/</summary>")
  }

  @Test(
    "a URL is a code span that can be copied, without the sentence around it",
    arguments: [
      ("https://a.example/", "`https://a.example/`"),
      ("[https://a/?key=s3cret]", #"\[`https://a/?key=[redacted]`"#),
      ("(http://[::1])", "(`http://[::1]`)"),
      ("see (http://a.example/x_y?b=1&c=@d#e), or", "see (`http://a.example/x_y?b=1&c=@d#e`), or"),
      ("\"feed://a\" → itms-app+x://b.", "\"`feed://a`\" → `itms-app+x://b`."),
      ("a|https://b|c", #"a\|`https://b`\|c"#), ("https://a\u{301}b", "`https://a`\u{301}b"),
      ("HTTPS://A", "`HTTPS://A`"), ("a.b2+c-d://e", "`a.b2+c-d://e`"), ("Z9://1", "`Z9://1`"),
      ("a://b:8", "`a://b:8`"),
      ("a_://b", "a\\_:\u{200B}//b"), ("://b", ":\u{200B}//b"), ("+a://b", "+a:\u{200B}//b"),
      ("a://b.,;:!?'", "`a://b`.,;:\\!?'"),
      ("a:/b", "a:/b"), ("a:", "a:"), ("a:b/", "a:b/"), ("x https://a y", "x `https://a` y"),
      ("https://a`b`", #"`https://a`\`b\`"#), ("https://a<b>", "`https://a`&lt;b&gt;"),
      // A code span would be another one, or a formula.
      ("`https://a", "\\`https:\u{200B}//a"), ("$https://a", "\\$https:\u{200B}//a"),
      ("1http://a", "1http:\u{200B}//a"), ("https://", "https:\u{200B}//"),
      ("https://...", "https:\u{200B}//..."),
    ])
  func urls(_ text: String, _ expected: String) {
    let markdown: MarkdownText = "\(text)"
    #expect(markdown.description == expected)
  }

  @Test(
    "a dot after www is held back, and no other dot",
    arguments: [
      ("www.a", "www\u{200B}.a"), ("wWw.a", "wWw\u{200B}.a"), ("xwww.a", "xwww\u{200B}.a"),
      ("wwww.a", "wwww\u{200B}.a"),
      ("ww.a", "ww.a"), ("w.a", "w.a"), (".a", ".a"), ("abc.a", "abc.a"), ("wwx.a", "wwx.a"),
      ("xww.a", "xww.a"),
      ("www", "www"), ("www,a", "www,a"),
    ])
  func dots(_ text: String, _ expected: String) {
    let markdown: MarkdownText = "\(text)"
    #expect(markdown.description == expected)
  }

  @Test("a text is one line of Markdown")
  func line() {
    let text: MarkdownText = "- \("a\n# b\u{1B}[2J")\n"
    #expect(text.description == "- a \\#\u{200B} b\u{FFFD}\\[2J\n")
  }

  @Test("a code span in a table holds backticks and pipes, whatever they are joined with")
  func code() {
    for (text, expected) in [
      ("a", "`a`"), ("a|b", #"`a\|b`"#), ("a|\u{301}", "`a\\|\u{301}`"), ("``", "``` `` ```"),
      ("`\u{301}", "`` `\u{301} ``"), ("a`b", "`` a`b ``"), ("`a``b`", "``` `a``b` ```"), ("", "``"),
    ] {
      let span: MarkdownText = "\(tableCode: text)"
      #expect(span.description == expected)
      let outside: MarkdownText = "\(code: text)"
      #expect(outside.description == expected.replacing("\\", with: ""))
    }
  }
}
