import FeedParsing
import Testing

@Suite struct ArticleTextTests {
  @Test(
    "blocks separate words, inline elements do not, and what is not text is gone",
    arguments: [
      ("<p>a</p><p>b</p>", "a\nb"), ("a<br>b", "a\nb"), ("<td>a</td><td>b</td>", "a\nb"),
      ("a<b>b</b>c", "abc"), ("<ul><li>x</li><li>y</li></ul>", "x\ny"),
      ("a &amp;  b&nbsp;c\n\nd", "a & b c d"),
      ("<script>x()</script>a<style>p{}</style>", "a"), ("<!-- no -->a", "a"), ("日本<p>語</p>", "日本\n語"),
      ("&lt;b&gt;", "<b>"), ("plain", "plain"), ("", ""), ("<p>\u{7}a</p>", "a"), ("<p>a", "a"),
      ("<div><div></div></div>", ""), ("&#x1F600;", "😀"), ("<title>t</title>b", "t\nb"),
      ("<p><![if x]>·<![endif]>a<!--<![endif]-->b", "· ab"), (" <![CDATA[<p>a</p>b]]>\n", "a\nb"),
    ])
  func text(html: String, expected: String) {
    #expect(ArticleText(html: html).text == expected)
  }

  @Test(
    "only the elements and attributes that are allowed are stored",
    arguments: [
      ("<p onclick=x style=y class=z>a</p>", "<p>a</p>"),
      (
        "<a href='https://e.org/?a=1&amp;b' onmouseover=x target=_blank>l</a>",
        "<a href=\"https://e.org/?a=1&amp;b\">l</a>"
      ),
      ("<p><a href='javascript:alert(1)'>l</a></p>", "<p>l</p>"),
      ("<p><a href='java\nscript:alert(1)'>l</a></p>", "<p>l</p>"),
      ("<p><a href='&#1;javascript:alert(1)'>l</a></p>", "<p>l</p>"),
      ("<p><a href='data:text/html,x'>l</a></p>", "<p>l</p>"),
      ("<p><a href='mailto:a@e.org'>l</a></p>", "<p><a href=\"mailto:a@e.org\">l</a></p>"),
      ("<p><a href='/x'>l</a></p>", "<p><a href=\"https://base.example/x\">l</a></p>"),
      (
        "<p><img src=/i.png onerror=x alt='\"><script>'></p>",
        "<p><img src=\"https://base.example/i.png\" alt=\"&quot;&gt;&lt;script&gt;\"></p>"
      ),
      (
        "<p><img src='data:image/png;base64,AA' data-src='/late.png'>x</p>",
        "<p><img src=\"https://base.example/late.png\">x</p>"
      ),
      ("<p><img src='http://count.example/' width=1 height=1>x</p>", "<p>x</p>"),
      ("<p><iframe src='https://e.org'></iframe><svg onload=x><p>y</svg>z</p>", "<p>z</p>"),
      ("<p><form action=x><input value=v>t</form></p>", "<p></p><div>t</div>"),
      ("<section dir=rtl><font>t</font><marquee>m</marquee></section>u", "<div dir=\"rtl\">tm</div>u"),
      ("<p><b>t</p><p>u</b></p>", "<p><b>t</b></p><p>u</p>"),
      ("<p lang='en\"x' dir=RTL>t</p>", "<p dir=\"rtl\">t</p>"),
      ("<p>a<br/>b<hr></p>", "<p>a<br>b</p><hr>"), ("<p>1 < 2 & 3</p>", "<p>1 &lt; 2 &amp; 3</p>"),
    ])
  func safe(html: String, expected: String) {
    #expect(
      ArticleText(html: html, baseURL: "https://base.example/post", keepsMarkup: true).html == expected)
  }

  @Test("what was cleaned stays as it is when it is cleaned again")
  func idempotence() {
    for html in [
      "<p>a<b>b</b></p>", "<ul><li>x<ul><li>y</li></ul></li></ul>", "<p>1 &lt; 2</p><pre>a\n b</pre>",
    ] {
      let once = ArticleText(html: html, keepsMarkup: true).html
      #expect(ArticleText(html: once, keepsMarkup: true).html == once)
    }
  }

  @Test("plain text keeps its characters")
  func plain() {
    let text = ArticleText(plain: "a <b> & c\nd", keepsMarkup: true)
    #expect(text.text == "a <b> & c\nd")
    #expect(text.html == "<p>a &lt;b&gt; &amp; c</p><p>d</p>")
  }

  @Test(
    "two characters of a script without spaces count as a word",
    arguments: [
      ("one two  three", 3), ("don't stop", 2), ("- — !", 0), ("日本語", 2), ("日本 two", 2), ("", 0),
      ("Grüße an 3", 3), ("한국어 단어", 2),
    ])
  func words(text: String, expected: Int) { #expect(WordCount.of(text) == expected) }

  @Test("hostile HTML costs no more than its size")
  func hostile() {
    let deep = String(repeating: "<div>", count: 50_000) + "x"
    #expect(ArticleText(html: deep, keepsMarkup: true).html.utf8.count < 10_000)
    let attributes = "<p " + (0..<20_000).map { "a\($0)=b" }.joined(separator: " ") + ">x</p>"
    #expect(ArticleText(html: attributes, keepsMarkup: true).html.utf8.count < 100)
  }
}

/// What the parser keeps of items for stored articles.
@Suite struct ArticleItemTests {
  private func items(_ document: String, keeps: Bool = true) -> FeedItems {
    var limits = FeedLimits()
    limits.keepsArticles = keeps
    return FeedParser.parse(document.utf8, baseURL: "https://e.org/feed", limits: limits).items
  }

  private static let rss = """
    <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
     xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
    <item xml:lang="de"><title>T</title><description>S</description><category>One</category>
    <category>Two &amp; more</category><dc:subject>Three</dc:subject>
    <content:encoded><![CDATA[<p>Long <a href="/x">text</a></p>]]></content:encoded>
    <media:thumbnail url="/thumb.png"/><media:content url="/big.png" medium="image"/>
    <enclosure url="/a.mp3" type="audio/mpeg" length="7"/></item>
    <item><title>Second</title><dc:language>fr</dc:language></item></channel></rss>
    """

  @Test("RSS: content, categories, picture and language")
  func rss() {
    let items = items(Self.rss)
    let first = items[0]
    #expect(first.content == "<p>Long <a href=\"https://e.org/x\">text</a></p>")
    #expect(first.categories == ["One", "Two & more", "Three"])
    #expect(first.imageURL == "https://e.org/big.png" && first.language == "de")
    #expect(first.enclosure == "https://e.org/a.mp3")
    #expect(items[1].categories.isEmpty && items[1].content == nil && items[1].language == "fr")
  }

  @Test("with the flag off nothing of it is kept, and the rest is the same")
  func off() {
    let (without, with) = (items(Self.rss, keeps: false), items(Self.rss))
    #expect(without[0].content == nil && without[0].categories.isEmpty && without[0].imageURL == nil)
    #expect(without.map(\.contentLength) == with.map(\.contentLength))
    #expect(without.map(\.title) == with.map(\.title) && without.map(\.summary) == with.map(\.summary))
  }

  @Test("Atom: terms, labels and plain text")
  func atom() {
    let items = items(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><category term="t" label="Label"/>
      <category term="only"/><summary type="text">a &lt; b</summary>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content></entry></feed>
      """)
    #expect(items[0].categories == ["Label", "only"] && items[0].content == "<p>x</p>")
    #expect(items[0].summaryIsPlain && !items[0].contentIsPlain)
  }

  @Test("JSON Feed: tags, image and the two kinds of content")
  func json() {
    let items = items(
      """
      {"version":"https://jsonfeed.org/version/1.1","items":[
      {"id":"1","content_html":"<p>h</p>","tags":["a","b"],"image":"/i.png","language":"es"},
      {"id":"2","content_text":"a < b"}]}
      """)
    #expect(items[0].content == "<p>h</p>" && items[0].categories == ["a", "b"] && !items[0].contentIsPlain)
    #expect(items[0].imageURL == "https://e.org/i.png" && items[0].language == "es")
    #expect(items[1].content == "a < b" && items[1].contentIsPlain)
  }

  @Test("an item beyond the limit takes its categories along")
  func dropped() {
    var limits = FeedLimits()
    limits.keepsArticles = true
    limits.items = 1
    let body = (0..<3).map { "<item><title>\($0)</title><category>c\($0)</category></item>" }.joined()
    let items = FeedParser.parse("<rss><channel>\(body)</channel></rss>".utf8, limits: limits).items
    #expect(items.map(\.categories) == [["c0"]])
  }
}
