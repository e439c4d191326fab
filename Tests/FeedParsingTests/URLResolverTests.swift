import Testing

@testable import FeedParsing

@Suite struct URLResolverTests {
  @Test(
    "references are resolved as RFC 3986, section 5.4, lists them",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g"),
      ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
      ("g#s", "http://a/b/c/g#s"),
      ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y#s"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
      ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
      ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
      ("..g", "http://a/b/c/..g"),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"),
      ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
      ("g?y/./x", "http://a/b/c/g?y/./x"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
      ("g#s/../x", "http://a/b/c/g#s/../x"),
      ("g:h", "g:h"), ("http:g", "http:g"), ("HTTP://x", "HTTP://x"), ("https://x", "https://x"),
    ])
  func standard(reference: String, expected: String) {
    #expect(URLResolver.resolve(reference, against: BaseURL("http://a/b/c/d;p?q")) == expected)
    #expect(URLResolver.resolve(reference, against: nil) == reference)
  }

  @Test(
    "a base may lack a path or an authority, and its fragment does not count",
    arguments: [
      ("http://e", "z", "http://e/z"), ("http://e", "?y", "http://e?y"),
      ("http://e?q=/x/y", "z", "http://e/z"),
      ("http://e?q=/x/y", "#s", "http://e?q=/x/y#s"), ("http://e/a/b?q#f/g", "z", "http://e/a/z"),
      ("http://e/a/b?q#f/g", "#s", "http://e/a/b?q#s"), ("http://e/a#?q", "?y", "http://e/a?y"),
      ("http://e/a#f", "", "http://e/a#f"),
      ("file:///a/b", "c", "file:///a/c"), ("urn:a/b", "c", "urn:a/c"), ("urn:a", "c", "urn:/c"),
      ("http:/a/b", "/c", "http:/c"),
      ("http://e/a/", "../b", "http://e/b"), ("http://e/a/./b", "c", "http://e/a/c"),
    ])
  func bases(base: String, reference: String, expected: String) {
    #expect(BaseURL(base)?.resolve(reference) == expected)
  }

  @Test(
    "a scheme is a letter and then letters, digits and three marks, up to a colon",
    arguments: [
      ("http:", true), ("a:", true), ("a+b-c.1:x", true), ("Z9:", true), ("1a:", false), (":", false),
      ("", false), ("a", false),
      ("a b:", false), ("a/b:", false), ("é:", false), ("-a:", false), ("aé:", false),
    ])
  func schemes(text: String, expected: Bool) {
    #expect(URLResolver.hasScheme(text) == expected)
    #expect((BaseURL(text) != nil) == expected)
  }

  @Test("web addresses begin with http or https")
  func webAddresses() {
    for (text, expected) in [
      ("http://", true), ("HTTPS://e", true), ("http:/e", false), ("httpss://e", false), ("ftp://e", false),
      ("", false),
    ] {
      #expect(URLResolver.isWebAddress(text) == expected, "\(text)")
    }
  }

  @Test(
    "relative links inside a text are resolved, and everything else stays",
    arguments: [
      ("<a href=\"x\">y</a>", "<a href=\"[x]\">y</a>"), ("<a href='x'>", "<a href='[x]'>"),
      ("<IMG SRC=\"y\">z", "<IMG SRC=\"[y]\">z"),
      ("<a\nhref=\" x \" z>", "<a\nhref=\"[x]\" z>"), ("<a href=\"\">", "<a href=\"[]\">"),
      ("<a href='x'><img src='y'>", "<a href='[x]'><img src='[y]'>"),
      ("<a href='x' src='y'", "<a href='[x]' src='[y]'"),
      ("<a href='x'src='y'>", "<a href='[x]'src='y'>"), ("a < b <i  src='y'>", "a < b <i  src='[y]'>"),
      ("<a href='http://e/'><b src='y'>", "<a href='http://e/'><b src='[y]'>"),
      ("<a href=x src='y'>", "<a href=x src='[y]'>"),
      ("<a href='HTTPS://e/'>", nil), ("<a href=x>", nil), ("a href='x'", nil), ("<a xhref='x'>", nil),
      ("<a href='x", nil),
      ("<a title='>' href='x'>", nil), ("<ahref='x'>", nil), ("<a href=", nil), ("<a href", nil),
      ("<a ", nil), ("<", nil), ("", nil),
      ("<a hrefs='x'>", nil), ("<a src= 'x'>", nil), ("<a> href='x'", nil),
    ] as [(String, String?)])
  func markup(text: String, expected: String?) {
    let output = Array(text.utf8).withUnsafeBufferPointer { MarkupLinkResolver.resolve($0) { "[\($0)]" } }
    #expect(output.map { String(decoding: $0, as: UTF8.self) } == expected)
  }
}
