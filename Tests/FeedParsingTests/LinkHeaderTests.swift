import Testing

@testable import FeedParsing

@Suite struct LinkHeaderTests {
  @Test(
    "each link has a target and parameters (RFC 8288, section 3)",
    arguments: [
      ("", []), ("a", []), ("<a", []), ("<a>", ["a, , , -"]), ("<>", [", , , -"]),
      ("<a>; rel=feed", ["a, feed, , -"]),
      ("<a>;rel=\"feed x\";type=t;title=\"T\"", ["a, feed x, t, T"]),
      ("<a>; REL = feed ; Title = \"T\"", ["a, feed, , T"]),
      ("<a>; rel=b; rel=c", ["a, b, , -"]), ("<a>; rel", ["a, , , -"]), ("<a>; rel=", ["a, , , -"]),
      ("<a>; =x; rel=b", ["a, b, , -"]),
      ("<a>; rel=b, <c>; rel=d", ["a, b, , -", "c, d, , -"]),
      ("<a>; title=\"x, <y>\"; rel=b, <c>", ["a, b, , x, <y>", "c, , , -"]),
      ("<a>; title=\"x \\\"y\\\"\"", ["a, , , x \"y\""]), ("<a>; title=\"x\\", ["a, , , x\\"]),
      ("<a>; title=\"x", ["a, , , x"]),
      ("x <a>; rel=b", ["a, b, , -"]), ("<a>\t;\trel\t=\tb", ["a, b, , -"]),
      ("<a> , <b>", ["a, , , -", "b, , , -"]),
      ("<a>; type=\"Text/XML; charset=utf-8\"", ["a, , text/xml, -"]),
    ])
  func links(header: String, expected: [String]) {
    let links = LinkHeader.links(in: header).map { link in
      "\(link.target), \(link.relations.sorted().joined(separator: " ")), \(link.type), \(link.title ?? "-")"
    }
    #expect(links == expected)
  }

  @Test(
    "a link leads to a feed by its relation and its type (Documentation/reference/curation.md#feed-links)",
    arguments: [
      ("alternate", "application/rss+xml", "/f", .feed),
      ("ALTERNATE home", " Application/Atom+XML; x", "/f", .feed),
      ("feed", "", "/f", .feed), ("service.feed", "", "/f", .feed), ("feed", "text/xml", "/f", .document),
      ("alternate", "text/xml", "/f", .document), ("alternate", "application/json", "/f", .document),
      ("alternate", "application/json", "/wp-json/x", nil),
      ("alternate", "application/json", "/oembed/x", nil),
      ("alternate", "", "/f", nil), ("alternate", "text/html", "/f", nil),
      ("alternate stylesheet", "text/rss", "/f", nil),
      ("feed stylesheet", "text/rss", "/f", .feed), ("", "text/rss", "/f", nil),
      ("next", "text/rss", "/f", nil),
      ("feed", "text/html", "/f", nil),
    ] as [(String, String, String, PageLink.Kind?)])
  func kinds(relation: String, type: String, target: String, expected: PageLink.Kind?) {
    #expect(PageLink(target: target, relation: relation, type: type, title: nil).feedKind == expected)
  }
}
