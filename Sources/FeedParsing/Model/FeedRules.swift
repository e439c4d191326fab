package import Diagnostics

/// The codes of findings in a feed document. FP01xx: the document. FP02xx: its encoding. FP03xx: its content. FP04xx:
/// limits. An example is a document; a first line `Content-Type:` is the header it was served with, and `{N × TEXT}`
/// stands for N times the text.
package enum FeedRule: String, RuleCode {
  case illFormed = "FP0101"
  case notAFeed = "FP0102"
  case htmlPage = "FP0103"
  case empty = "FP0104"
  case externalDeclaration = "FP0105"
  case undefinedEntity = "FP0106"
  case undeclaredPrefix = "FP0107"
  case cutDocument = "FP0108"
  case encodingMismatch = "FP0201"
  case unknownEncoding = "FP0202"
  case contentType = "FP0203"
  case unreadableDate = "FP0301"
  case missingID = "FP0302"
  case duplicateID = "FP0303"
  case jsonShape = "FP0304"
  case bridgeError = "FP0305"
  case tooManyBytes = "FP0401"
  case startTagTooLong = "FP0402"
  case tooDeep = "FP0403"
  case tooManyItems = "FP0404"
  case textTruncated = "FP0405"
  case entityExpansion = "FP0406"
  case linkExpansion = "FP0407"

  package var rule: Rule {
    switch self {
    case .illFormed:
      rule(
        "ill-formed-feed", .warning, "The document is not well-formed XML, or not JSON",
        why: "The feed was read with repairs. A strict feed reader shows nothing of it.",
        example: rss(title: "News & views"), useInstead: rss(title: "News &amp; views"), source: Self.parsing)
    case .notAFeed:
      rule(
        "not-a-feed", .warning, "The document is not a feed in any known format",
        why: "The known formats are RSS 0.90 to 2.0, RDF, Atom 0.3 and 1.0, and JSON Feed 1.0 and 1.1.",
        example: #"<opml version="2.0"><body/></opml>"#, useInstead: rss(), source: Self.parsing)
    case .htmlPage:
      rule(
        "page-instead-of-feed", .warning, "The document is an HTML page",
        why: "The feed has another address, to which the page may link, or it no longer exists.",
        example: "<!DOCTYPE html><html><head><title>News</title></head><body>Hello</body></html>",
        useInstead: rss(), source: Self.parsing)
    case .empty:
      rule(
        "empty-feed-document", .warning, "The document has no text",
        why: "Usually the program that generates the feed has failed.",
        example: "Content-Type: application/rss+xml\n", useInstead: rss(), source: Self.parsing)
    case .externalDeclaration:
      rule(
        "external-declaration", .warning, "The document declares an external entity or DTD",
        why:
          "Such a declaration could make a feed reader send local files to a stranger. The parser never "
          + "loads it, so its text is missing.",
        example: "<!DOCTYPE rss [<!ENTITY name SYSTEM \"file:///etc/hosts\">]>\n" + rss(title: "News &name;"),
        useInstead: "<!DOCTYPE rss [<!ENTITY name \"today\">]>\n" + rss(title: "News &name;"),
        source: Self.limits)
    case .undefinedEntity:
      rule(
        "undefined-entity", .warning, "The document uses an entity of HTML that it does not declare",
        why:
          "XML defines only five entities. The tool also knows those of HTML, but a strict feed reader "
          + "refuses the document.",
        example: rss(title: "News &copy;"), useInstead: rss(title: "News &#169;"), source: Self.parsing)
    case .undeclaredPrefix:
      rule(
        "undeclared-prefix", .warning, "The document uses a namespace prefix that it does not declare",
        why: "The prefix has no defined meaning. A strict feed reader refuses the document.",
        example: rss(item: "<guid>1</guid><dc:creator>Ann</dc:creator>"),
        useInstead: rss(
          item: "<guid>1</guid><dc:creator xmlns:dc=\"http://purl.org/dc/elements/1.1/\">Ann</dc:creator>"),
        source: Self.parsing)

    case .cutDocument:
      rule(
        "cut-document", .warning, "The document ends before its root element does",
        why:
          "The connection or the program that writes the feed has stopped. The item that is open there may be cut "
          + "anywhere, so nothing of it is taken.",
        example:
          "<rss version=\"2.0\"><channel><title>News</title>\n<item><guid>1</guid></item><item><guid>2",
        useInstead: rss(), source: Rule.reference("feeds", "documents-without-an-end"))

    case .encodingMismatch:
      rule(
        "encoding-mismatch", .warning, "The text is not in the encoding that the document declares",
        why:
          "The text was read in the encoding that it seems to have. Other feed readers may show wrong "
          + "characters.",
        example: "<?xml version=\"1.0\" encoding=\"euc-jp\"?>\n" + rss(title: "日本"),
        useInstead: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + rss(title: "日本"), source: Self.parsing)
    case .unknownEncoding:
      rule(
        "unknown-encoding", .warning, "The document declares an encoding that does not exist",
        why: "The text was read as UTF-8.",
        example: "<?xml version=\"1.0\" encoding=\"utf-9\"?>\n" + rss(),
        useInstead: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + rss(), source: Self.parsing)
    case .contentType:
      rule(
        "unexpected-content-type", .warning, "The server sends the feed with a Content-Type that no feed has",
        why: "A feed reader that trusts the header takes the feed for something else, such as a web page.",
        example: "Content-Type: text/html\n" + rss(),
        useInstead: "Content-Type: application/rss+xml\n" + rss(), source: Self.parsing)

    case .unreadableDate:
      rule(
        "unreadable-date", .warning, "A date cannot be read",
        why: "RSS takes dates of RFC 822, Atom and JSON Feed those of RFC 3339. The item counts as undated.",
        example: rss(item: "<guid>1</guid><pubDate>some day in May</pubDate>"),
        useInstead: rss(item: "<guid>1</guid><pubDate>Mon, 04 May 2026 08:00:00 GMT</pubDate>"),
        source: Rule.reference("feeds", "dates-of-items"))
    case .missingID:
      rule(
        "missing-item-id", .warning, "An item has no id of its own",
        why:
          "Feed readers use the id to know which items they have shown. Without one, an edited item looks "
          + "new.",
        example: rss(item: "<title>Hello</title>"),
        useInstead: rss(item: "<guid>1</guid><title>Hello</title>"),
        source: Rule.reference("feeds", "signals-profile"))
    case .duplicateID:
      rule(
        "duplicate-item-id", .warning, "Several items have the same id",
        why:
          "A reader that compares ids alone shows only one of them. Stored articles compare more than the id.",
        example: rss(item: "<guid>1</guid></item><item><guid>1</guid>"),
        useInstead: rss(item: "<guid>1</guid></item><item><guid>2</guid>"),
        source: Rule.reference("feeds", "signals-profile"))
    case .jsonShape:
      rule(
        "json-feed-shape", .warning, "A value of a JSON Feed does not have the type that the format asks for",
        why: "The value was skipped.",
        example: #"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": {}}"#,
        useInstead: #"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": []}"#,
        source: Self.parsing)
    case .bridgeError:
      rule(
        "bridge-error-entry", .warning, "An entry reports an error of the program that makes the feed",
        why: "A feed bridge could not read the site. The entry reports that error, and was left out.",
        example: rss(
          item: "<title>Bridge returned error 403! (20341)</title>"
            + "<link>https://bridge.example/?action=display&amp;bridge=News&amp;format=Mrss</link>"),
        useInstead: rss(
          item: "<title>Bridge returned error 403! (20341)</title><link>https://forum.example/5</link></item>"
            + "<item><title>Hello</title>"),
        source: Rule.reference("feeds", "errors-of-bridges"))

    case .tooManyBytes:
      rule(
        "feed-too-large", .warning, "The document is larger than 10 MiB",
        why: "Only its first part was read. " + Self.bound,
        example: rss() + "{10485760 ×  }", useInstead: rss(), source: Self.limits)
    case .startTagTooLong:
      rule(
        "tag-too-long", .warning, "A tag is longer than 64 KiB, or has too many attributes or namespaces",
        why: "Reading ended there. " + Self.bound,
        example: rss(item: "<guid {65536 × a}=\"\">1</guid>"), useInstead: rss(), source: Self.limits)
    case .tooDeep:
      rule(
        "nested-too-deep", .warning, "Elements or values are nested too deep",
        why: "Reading ended there. " + Self.bound,
        example: rss(item: "<guid>1</guid>{201 × <p>}{201 × </p>}"), useInstead: rss(), source: Self.limits)
    case .tooManyItems:
      rule(
        "too-many-items", .warning, "The feed has more items than the parser reads",
        why: "Only the first 20,000 items were kept. " + Self.bound,
        example: rss(item: "{20001 × <guid>1</guid></item><item>}"), useInstead: rss(), source: Self.limits)
    case .textTruncated:
      rule(
        "text-cut", .warning, "A text is longer than 1 MiB",
        why: "Its first part was kept. " + Self.bound,
        example: rss(title: "{1048577 × x}"), useInstead: rss(title: "x"), source: Self.limits)
    case .entityExpansion:
      rule(
        "entity-expansion", .warning, "The entities of the document expand to too much text",
        why:
          "In this way, a document of one kilobyte can expand to gigabytes. Such entities were not expanded.",
        example: "<!DOCTYPE rss [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>\n" + rss(title: "&b;"),
        useInstead: "<!DOCTYPE rss [<!ENTITY a \"ha\">]>\n" + rss(title: "&a;"), source: Self.limits)
    case .linkExpansion:
      rule(
        "link-expansion", .warning, "Relative links of the document become too long when they are resolved",
        why: "A long xml:base makes each of many short links long. The later ones were left out.",
        example: """
          <rss version="2.0"><channel xml:base="https://example.com/{60000 × x}/"><title>News</title>
          {40 × <item><link>a</link></item>}</channel></rss>
          """,
        useInstead: """
          <rss version="2.0"><channel xml:base="https://example.com/"><title>News</title>
          {40 × <item><link>a</link></item>}</channel></rss>
          """, source: Self.limits)
    }
  }

  // MARK: Example documents

  private static let parsing = Rule.reference("feeds", "parsing")
  private static let limits = Rule.reference("feeds", "document-limits")
  private static let bound = "The limit protects the tool from hostile documents."

  private func rss(title: String = "News", item: String = "<guid>1</guid>") -> String {
    "<rss version=\"2.0\"><channel><title>\(title)</title>\n<item>\(item)</item></channel></rss>"
  }
}
