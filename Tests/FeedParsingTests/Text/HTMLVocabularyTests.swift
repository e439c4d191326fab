import Testing
import XMLReading

@testable import FeedParsing

@Suite struct HTMLVocabularyTests {
  private func safe(_ element: String, _ attributes: KeyValuePairs<String, String>, base: String? = nil)
    -> String?
  {
    HTMLVocabulary.safeAttributes(
      of: element, attributes.map { MarkupAttribute($0, $1) }, base.flatMap(BaseURL.init)
    ).map { $0.map { "\($0.name)=\($0.value)" }.joined(separator: " ") }
  }

  @Test(
    "only the first of an element's allowed attributes is stored (Documentation/reference/articles.md#stored-html)"
  )
  func attributes() {
    #expect(safe("p", [:]) == "" && safe("script", [:]) == nil && safe("font", [:]) == nil)
    #expect(safe("abbr", ["title": "T", "title": "U", "onclick": "x", "href": "http://e/"]) == "title=T")
    #expect(safe("blockquote", ["cite": "http://e/"]) == "cite=http://e/")
    #expect(safe("p", ["dir": "RTL", "lang": "en-GB"]) == "dir=rtl lang=en-GB")
    #expect(safe("p", ["dir": "up", "lang": "en\""]) == "")
  }

  @Test("numbers have one to five digits, and a language tag up to 35 letters, digits and hyphens")
  func lengths() {
    for (value, isStored) in [
      ("1", true), ("12345", true), ("123456", false), ("", false), ("1x", false), ("-1", false),
    ] {
      #expect(safe("td", ["colspan": value]) == (isStored ? "colspan=\(value)" : ""), "\(value)")
    }
    let longest = String(repeating: "a", count: 35)
    for (value, isStored) in [
      ("a", true), (longest, true), (longest + "a", false), ("", false), ("a_b", false), ("a9-", true),
    ] {
      #expect(safe("p", ["lang": value]) == (isStored ? "lang=\(value)" : ""), "\(value)")
    }
  }

  @Test("a link leads to a web or mail address, or is not stored")
  func links() {
    #expect(safe("a", [:]) == nil && safe("a", ["title": "T"]) == nil && safe("a", ["href": "x"]) == nil)
    #expect(safe("a", ["href": "x"], base: "http://e/") == "href=http://e/x")
    #expect(
      safe("a", ["href": "MAILTO:a@e"]) == "href=MAILTO:a@e" && safe("a", ["href": "javascript:x"]) == nil)
    #expect(safe("img", ["src": "mailto:a@e"]) == nil && safe("q", ["cite": "mailto:a@e"]) == "")
  }

  @Test("a picture has two sides of two pixels or more, and an address that may wait in another attribute")
  func pictures() {
    #expect(safe("img", ["src": "http://e/i"]) == "src=http://e/i")
    for (width, height, isStored) in [
      ("2", "2", true), ("1", "2", false), ("2", "1", false), ("0", "9", false), ("9", "9", true),
    ] {
      #expect(
        safe("img", ["src": "http://e/i", "width": width, "height": height])
          == (isStored ? "src=http://e/i width=\(width) height=\(height)" : nil), "\(width), \(height)")
    }
    #expect(safe("img", [:]) == nil && safe("img", ["data-src": "x"]) == nil)
    for name in ["data-src", "data-lazy-src", "data-original"] {
      #expect(safe("img", ["alt": "A", name: "http://e/i"]) == "src=http://e/i alt=A")
    }
    #expect(safe("img", ["src": "http://e/1", "data-src": "http://e/2"]) == "src=http://e/1")
  }

  @Test(
    "an address has no control characters and 2048 bytes at most",
    arguments: [
      ("http://e/a b", "http://e/a%20b"), ("http://e/\n\ta", nil),
      ("http://e/\u{7F}", nil), ("http://e/\u{80}", nil), ("http://e/a\u{A0}b", "http://e/a\u{A0}b"),
      (" http://e/ ", "http://e/"), ("\u{1}", nil), ("", nil), ("java\nscript:x", nil),
      ("http://e/" + String(repeating: "a", count: 2039), "http://e/" + String(repeating: "a", count: 2039)),
      ("http://e/" + String(repeating: "a", count: 2040), nil),
    ] as [(String, String?)])
  func addresses(text: String, expected: String?) {
    #expect(HTMLVocabulary.address(text, nil) == expected)
  }

  @Test(
    "an address that browsers and RFC 3986 read differently is not stored",
    arguments: [
      "\\\\e.test", "/\\e.test/x", "///e.test", "https:e.test", "https:/e.test", "https:///e.test",
      "https:\\\\e.test\\x",
      "https://a.test\\@e.test/", "https://user@e.test/", "https://a:b@e.test", "https://e.te\u{9}st/",
      "ht\ntps://e.test/",
      "https://2130706433/", "https://0x7f.1/", "https://127.1/", "https://0177.0.0.1/",
      "https://127.0.0.1./", "https://1.2.3.4.5/",
      "https://a.0x/", "https://%65.test/", "https://e test/", "https://１２７.0.0.1/", "https://e。test/",
      "https://e.test:99999/",
      "https://e.test:x/", "https://[::1%25eth0]/", "https://[e.test]/", "https://e..test/",
      "https://e<b>.test/", "https:///",
      "https://e.test/a/%2e%2E/b", "https://a.test/\u{1}",
    ])
  func ambiguous(text: String) {
    #expect(HTMLVocabulary.address(text, BaseURL("https://site.test/p/index.html")) == nil)
  }

  @Test(
    "an address with one reading is stored as it is",
    arguments: [
      "https://e.test/a\u{5C}b?c".replacing("\u{5C}", with: "%5C"), "https://e.test/?q=a\\b#c\\d",
      "https://e.test/?u=user@e.test",
      "https://E.test:8080/@user", "https://1.2.3.4/", "https://[2606:4700::1111]:443/",
      "https://[::ffff:102:304]/", "https://müller.test/",
      "https://日本.test/ü", "https://e.test./", "https://a_b.test", "https://123.test/",
      "https://e.test/a%2eb",
    ])
  func plain(text: String) {
    #expect(HTMLVocabulary.address(text, BaseURL("https://site.test/p/")) == text)
  }

  @Test(
    "a picture of one pixel or one that is not shown is not stored, and neither is one that may not be",
    arguments: [
      ("width", "1px"), ("height", " 0 "), ("width", "1.5"), ("style", "border:0; WIDTH : 1px"),
      ("style", "max-height:0"),
      ("style", "display:none!important"), ("style", "visibility: hidden"), ("hidden", ""),
      ("src", "http://private/"),
    ])
  func trackers(name: String, value: String) {
    let attributes = [MarkupAttribute(name, value), MarkupAttribute("src", "http://e/i")]
    #expect(HTMLVocabulary.safeAttributes(of: "img", attributes, nil) { $0 != "http://private/" } == nil)
    for (name, value) in [
      ("width", "100%"), ("width", "1%"), ("style", "width:100px"), ("style", "max-width:1em"),
      ("height", "auto"),
    ] {
      let attributes = [MarkupAttribute(name, value), MarkupAttribute("src", "http://e/i")]
      #expect(HTMLVocabulary.safeAttributes(of: "img", attributes, nil) != nil, "\(name)=\(value)")
    }
  }

  @Test(
    "a text has markup when it has a reference or a tag that HTML has",
    arguments: [
      ("a", false), ("a & b;", false), ("a &amp; b", true), ("&#65;", true), ("&#x4a;", true), ("&a1;", true),
      ("; &amp", false),
      ("&;", false), ("a < b", false), ("<b>", true), ("</p", true), ("<Array>", false),
      ("Array<Int>", false), ("<FONT>", true),
      ("<script", true), ("<form", true), ("<x> <i>", true), ("<1>", false),
    ])
  func markup(text: String, expected: Bool) {
    #expect(HTMLVocabulary.hasMarkup(text) == expected)
  }
}
