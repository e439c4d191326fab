/// A hostile document in a valid HTTP response: a correct feed with something added, or something else instead.
struct HostileDocument {
  private let request: DemoRequest

  init(_ request: DemoRequest) { self.request = request }

  var response: DemoResponse {
    if let json { return DemoResponse("200 OK", [("Content-Type", "application/feed+json")], json) }
    var response = DemoResponse("200 OK", [("Content-Type", "application/rss+xml")], xml)
    if request.feed.behavior == .invalidUTF8 {
      response.body += [UInt8](repeating: 0xFE, count: 1 << 20) + Self.end.utf8
    }
    return response
  }

  // MARK: XML

  private static let end = "</title></item></channel></rss>"

  private var xml: String {
    switch request.feed.behavior {
    case .manyAttributes: ending("<item \((0..<20_000).map { "a\($0)=\"\"" }.joined(separator: " "))/>")
    case .longAttribute: ending("<item a=\"\(String(repeating: "a", count: 11 << 20))\"/>")
    case .deepNesting: ending(String(repeating: "<a>", count: 200_000))
    case .nulBytes: String(repeating: "\0", count: 1 << 20)
    case .nulsInText:
      ending("<item><guid>n</guid><title>\(String(repeating: "a\0", count: 100_000))\(Self.end)")
    case .manyItems: ending((0..<100_000).map { "<item><guid>\($0)</guid></item>" }.joined())
    case .invalidUTF8: open("<item><guid>n</guid><title>")
    case .truncatedXML: open("<item><guid>n</guid><title>and th")
    case .billionLaughs: declaring(Self.laughs, "<item><guid>n</guid><title>&l12;\(Self.end)")
    case .quadraticEntities:
      declaring(
        "<!ENTITY a \"\(String(repeating: "a", count: 250))\">",
        "<item><guid>n</guid><title>\(String(repeating: "&a;", count: 200_000))\(Self.end)")
    case .externalEntity:
      declaring("<!ENTITY f SYSTEM \"file:///etc/hostname\">", "<item><guid>n</guid><title>&f;\(Self.end)")
    case .externalDTD: declaring("", "", external: " SYSTEM \"\(request.site)feed.dtd\"")
    default: ending("<item><guid>n</guid><title>\(String(repeating: "& ", count: 500_000))\(Self.end)")
    }
  }

  /// Each entity expands to ten times the one before.
  private static let laughs = (0...12).map { level in
    "<!ENTITY l\(level) \"\(String(repeating: level == 0 ? "ha" : "&l\(level - 1);", count: 10))\">"
  }.joined()

  /// The correct feed with the piece after its items.
  private func ending(_ piece: String) -> String { open(piece) + "</channel></rss>" }

  private func open(_ piece: String) -> String {
    request.text.rss20.dropLast("</channel></rss>\n".count) + piece
  }

  private func declaring(_ declarations: String, _ piece: String, external: String = "") -> String {
    ending(piece).replacing(
      "<rss ", with: "<!DOCTYPE rss\(external) [\(declarations)]><rss ", maxReplacements: 1)
  }

  // MARK: JSON

  private var json: String? {
    switch request.feed.behavior {
    case .jsonShape: #"{"version":"https://jsonfeed.org/version/1.1","title":["T"],"items":{"0":{"id":"1"}}}"#
    case .jsonItems: listing((0..<100_000).map { "{\"id\":\"\($0)\"}" }.joined(separator: ","))
    case .jsonValues: "{\"x\":\(Self.values),\(request.text.jsonFeed.dropFirst())"
    case .jsonInOneItem: listing("{\"id\":\"x\",\"x\":\(Self.values)}")
    case .jsonNesting: String(repeating: "[", count: 200_000)
    case .truncatedJSON: String(listing(#"{"id":"x","title":"and th"#).dropLast("]}\n".count))
    default: nil
    }
  }

  private static let values = "[\(String(repeating: "0,", count: 1_000_000))0]"

  /// The correct feed with more elements in its list of items.
  private func listing(_ elements: String) -> String {
    "\(request.text.jsonFeed.dropLast("]}\n".count)),\(elements)]}\n"
  }
}
