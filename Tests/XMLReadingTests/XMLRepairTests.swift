import Testing

@testable import XMLReading

@Suite struct XMLRepairTests {
  private static let lists: XMLRepair.Lists = (["item", "entry"], ["channel", "feed"])

  /// The corrected text, with an end tag for each element that the text leaves open.
  private func repair(_ text: String, lists: XMLRepair.Lists = ([], [])) -> String {
    var repaired = ""
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      let ending = XMLRepair.run(bytes, entities: [:], lists: lists) {
        repaired += String(decoding: $0, as: UTF8.self)
        return true
      }
      repaired += ending.open.reversed().map { "</\(String(decoding: bytes[$0], as: UTF8.self))>" }.joined()
    }
    return repaired
  }

  @Test(
    "text: bare markup becomes references, and forbidden characters are dropped",
    arguments: [
      ("", ""), ("ab", "ab"), ("a & b", "a &amp; b"), ("&", "&amp;"), ("&amp;&lt;", "&amp;&lt;"),
      ("&eacute;", "&eacute;"), ("&nope;x", "&amp;nope;x"), ("&;", "&amp;;"),
      ("&#65;&#x41;", "&#65;&#65;"), ("&#X41;x", "&#65;x"), ("&#1;x", "x"), ("&#xD800;x", "x"),
      ("&#XD800;x", "x"), ("&#6g;", "&amp;#6g;"), ("&#xD83D;&#56832;x", "&#128512;x"),
      ("a > b", "a > b"), ("]>", "]>"), ("]]>", "]]&gt;"), ("a]]>b", "a]]&gt;b"), ("] ]>", "] ]>"),
      ("a < b", "a &lt; b"), ("<", "&lt;"), ("<1>", "&lt;1>"), ("<>", "&lt;>"),
      ("a\tb\nc\rd", "a\tb\nc\rd"), ("a\u{0}\u{8}\u{B}\u{C}\u{E}\u{1F}b c\u{7F}", "ab c\u{7F}"),
    ])
  func text(text: String, expected: String) {
    #expect(repair(text) == expected)
  }

  @Test(
    "end tags: each element ends once, after what is open inside it",
    arguments: [
      ("<a>x", "<a>x</a>"), ("<a><b>x", "<a><b>x</b></a>"), ("<a><b>x</a>y", "<a><b>x</b></a>y"),
      ("<a></b>x</a>", "<a>x</a>"), ("</a>x", "x"), ("<a>x</a></a>y", "<a>x</a>y"),
      ("<a><b>x</a>y</b>z", "<a><b>x</b></a>yz"), ("<a><a>x</a>y", "<a><a>x</a>y</a>"),
      ("<a>x</a b>y", "<a>x</a>y"), ("<a>x</a<b>y", "<a>x</a><b>y</b>"), ("<a>x</a", "<a>x</a>"),
      ("<a>x</ab>y", "<a>xy</a>"), ("<ab>x</a>y", "<ab>xy</ab>"), ("<a>x</A>y", "<a>xy</a>"),
      ("<é_:.-1>x</é_:.-1>y", "<é_:.-1>x</é_:.-1>y"),
    ])
  func endTags(text: String, expected: String) {
    #expect(repair(text) == expected)
  }

  @Test(
    "start tags: every attribute is quoted and occurs once",
    arguments: [
      ("<a/>x", "<a/>x"), ("<a />x", "<a/>x"), ("<a / >x</a>", "<a>x</a>"), ("<a/", ""),
      ("<a b='1' c=2 d>x</a>", "<a b=\"1\" c=\"2\" d=\"d\">x</a>"), ("<a b=1/>", "<a b=\"1/\"></a>"),
      ("<a b='1' b='2' B='3'/>", "<a b=\"1\" B=\"3\"/>"),
      ("<a bc='1' cb='2' b='3'/>", "<a bc=\"1\" cb=\"2\" b=\"3\"/>"),
      ("<a b \n=\t'1'/>", "<a b=\"1\"/>"), ("<a b='\"'/>", "<a b=\"&quot;\"/>"),
      ("<a b=\"'\"/>", "<a b=\"'\"/>"),
      ("<a b='1 < 2'/>", "<a b=\"1 &lt; 2\"/>"), ("<a b='1 > 2'/>", "<a b=\"1 > 2\"/>"),
      ("<a b='x & y &amp; &#1;z'/>", "<a b=\"x &amp; y &amp; z\"/>"),
      ("<a b='&am' c='p;'/>", "<a b=\"&amp;am\" c=\"p;\"/>"),
      ("<a b='x\u{1}y'/>", "<a b=\"xy\"/>"), ("<a b=''/>", "<a b=\"\"/>"),
      ("<a b='1'c='2'/>", "<a b=\"1\" c=\"2\"/>"),
      ("x<a b", "x"), ("x<a b=", "x"), ("x<a b= ", "x"), ("x<a b='", "x"), ("x<a b='1", "x"),
      ("x<a b='1'", "x"),
      ("x<a b=1", "x"), ("<a>x<b c='>", "<a>x</a>"),
      ("<a b<c>x", "<a b=\"b\"><c>x</c></a>"), ("<a b=1<c>x", "<a b=\"1\"><c>x</c></a>"),
      ("<a\n>x", "<a>x</a>"),
      ("<a 1 b>x", "<a b=\"b\">x</a>"),
    ])
  func startTags(text: String, expected: String) {
    #expect(repair(text) == expected)
  }

  @Test("a closing quote that was forgotten is distinguished from a value with a bracket")
  func brackets() {
    #expect(repair("<a b='x<y' c='1'/>") == "<a b=\"x&lt;y\" c=\"1\"/>")
    #expect(repair("<a b='x<y'>z") == "<a b=\"x&lt;y\">z</a>")
    #expect(repair("<a b='x<y'/>z") == "<a b=\"x&lt;y\"/>z")
    #expect(repair("<a b=\"x><c d=\"y\">z") == "<a b=\"x\"><c d=\"y\">z</c></a>")
    #expect(repair("<a b=\"x/><c d=\"y\">z") == "<a b=\"x\"/><c d=\"y\">z</c>")
    #expect(repair("<a b='x<y z'w>'/>t") == "<a b=\"x\"><y z=\"z\" w=\"w\">'/></y></a>t")
  }

  @Test(
    "sections and instructions are copied and closed; comments and declarations are dropped",
    arguments: [
      ("<![CDATA[a<b&c>]]>d&", "<![CDATA[a<b&c>]]>d&amp;"), ("<![cdata[a]]>", "<![CDATA[a]]>"),
      ("<![CDATA[a", "<![CDATA[a]]>"), ("<![CDATA[a]]", "<![CDATA[a]]]]>"),
      ("<![CDATA[]]>a", "<![CDATA[]]>a"),
      ("<![CDATA[a\u{1}b\tc]]>", "<![CDATA[ab\tc]]>"),
      ("a<!-- b -->c", "ac"), ("a<!---->b", "ab"), ("a<!-->b-->c", "ac"), ("a<!--b->c", "a"), ("a<!--", "a"),
      ("a<!x>b", "ab"), ("a<!x", "a"), ("a<!>b", "ab"), ("a<!", "a"),
      ("a<?p x\u{1}?>b", "a<?p x?>b"), ("a<?p x>b", "a<?p x>b?>"), ("a<??>b", "a<??>b"), ("a<?", "a<??>"),
      ("<?xml version='1.0'?>a", "<?xml version='1.0'?>a"), (" \n<?xml?><a/>", "<?xml?><a/>"),
      ("a<?xml?>b", "ab"), ("a<?XML ?>b", "ab"), ("<a><?xml?>b", "<a>b</a>"), (" <?p?>a", "<?p?>a"),
      ("<?p?><?xml?>a", "<?p?>a"),
    ])
  func sections(text: String, expected: String) {
    #expect(repair(text) == expected)
  }

  @Test(
    "a new item ends what is open in its container",
    arguments: [
      ("<channel><item><b>x<item>y", "<channel><item><b>x</b></item><item>y</item></channel>"),
      ("<Feed><ENTRY>x<Entry>y", "<Feed><ENTRY>x</ENTRY><Entry>y</Entry></Feed>"),
      ("<channel><item>x</item><item>y", "<channel><item>x</item><item>y</item></channel>"),
      ("<channel><items>x<item>y", "<channel><items>x</items><item>y</item></channel>"),
      ("<channel><item>x<items>y", "<channel><item>x<items>y</items></item></channel>"),
      ("<channel><item>x<ite>y", "<channel><item>x<ite>y</ite></item></channel>"),
      ("<other><item>x<item>y", "<other><item>x<item>y</item></item></other>"),
      ("<channels><item>x<item>y", "<channels><item>x<item>y</item></item></channels>"),
    ])
  func items(text: String, expected: String) {
    #expect(repair(text, lists: Self.lists) == expected)
  }
}
