package import DemoFeeds

/// Hostile documents in valid HTTP responses: a correct feed with something added, or something else instead. They would
/// cost a careless reader far more than their size.
extension DemoBehavior {
  package static let manyAttributes = xml("manyattributes", "an element with 20,000 attributes") {
    ending($0, "<item \((0..<20_000).map { "a\($0)=\"\"" }.joined(separator: " "))/>")
  }
  package static let longAttribute = xml("longattribute", "an attribute of 3 MB") {
    ending($0, "<item a=\"\(String(repeating: "a", count: 3 << 20))\"/>")
  }
  package static let deepNesting = xml("deepnesting", "20,000 nested elements") {
    ending($0, String(repeating: "<a>", count: 20_000))
  }
  package static let nulBytes = xml("nulbytes", "only NUL bytes") {
    _ in String(repeating: "\0", count: 1 << 17)
  }
  package static let nulsInText = xml("nulsintext", "NUL bytes in texts") {
    ending($0, "<item><guid>n</guid><title>\(String(repeating: "a\0", count: 100_000))\(end)")
  }
  package static let manyItems = xml("manyitems", "30,000 items") {
    ending($0, (0..<30_000).map { "<item><guid>\($0)</guid></item>" }.joined())
  }
  package static let invalidUTF8 = response("invalidutf8", "invalid UTF-8") {
    var response = DemoResponse("200 OK", rss, open($0, "<item><guid>n</guid><title>"))
    response.body += [UInt8](repeating: 0xFE, count: 1 << 17) + end.utf8
    return response
  }
  package static let truncatedXML = xml("truncatedxml", "XML cut off within an item") {
    open($0, "<item><guid>n</guid><title>and th")
  }
  package static let billionLaughs = xml("billionlaughs", "entities made of entities") {
    declaring($0, laughs, "<item><guid>n</guid><title>&l12;\(end)")
  }
  package static let quadraticEntities = xml("quadraticentities", "one long entity, used very often") {
    declaring(
      $0, "<!ENTITY a \"\(String(repeating: "a", count: 250))\">",
      "<item><guid>n</guid><title>\(String(repeating: "&a;", count: 20_000))\(end)")
  }
  package static let externalEntity = xml("externalentity", "an entity that names a local file") {
    declaring($0, "<!ENTITY f SYSTEM \"file:///etc/hostname\">", "<item><guid>n</guid><title>&f;\(end)")
  }
  package static let externalDTD = xml("externaldtd", "an external DTD") {
    declaring($0, "", "", external: " SYSTEM \"\($0.site)feed.dtd\"")
  }
  package static let endlessReference = xml("endlessreference", "endless references") {
    ending($0, "<item><guid>n</guid><title>\(String(repeating: "& ", count: 100_000))\(end)")
  }
  package static let jsonShape = json("jsonshape", "JSON with values of the wrong type") {
    _ in #"{"version":"https://jsonfeed.org/version/1.1","title":["T"],"items":{"0":{"id":"1"}}}"#
  }
  package static let jsonItems = json("jsonitems", "JSON with 30,000 items") {
    listing($0, (0..<30_000).map { "{\"id\":\"\($0)\"}" }.joined(separator: ","))
  }
  package static let jsonValues = json("jsonvalues", "JSON with 300,000 values beside its items") {
    "{\"x\":\(values),\($0.text.jsonFeed.dropFirst())"
  }
  package static let jsonInOneItem = json("jsoninoneitem", "JSON with 300,000 values in one item") {
    listing($0, "{\"id\":\"x\",\"x\":\(values)}")
  }
  package static let jsonNesting = json("jsonnesting", "20,000 nested lists of JSON") {
    _ in String(repeating: "[", count: 20_000)
  }
  package static let truncatedJSON = json("truncatedjson", "JSON cut off within an item") {
    String(listing($0, #"{"id":"x","title":"and th"#).dropLast("]}\n".count))
  }

  package static let hostileDocuments = [
    manyAttributes, longAttribute, deepNesting, nulBytes, nulsInText, manyItems, invalidUTF8, truncatedXML,
    billionLaughs, quadraticEntities, externalEntity, externalDTD, endlessReference, jsonShape, jsonItems,
    jsonValues, jsonInOneItem, jsonNesting, truncatedJSON,
  ]

  // MARK: XML

  private static let rss = [("Content-Type", "application/rss+xml")]

  private static func xml(
    _ name: String, _ summary: String, _ text: @escaping @Sendable (DemoRequest) -> String
  ) -> DemoBehavior {
    response(name, summary) { DemoResponse("200 OK", rss, text($0)) }
  }

  private static let end = "</title></item></channel></rss>"

  /// Each entity expands to ten times the one before.
  private static let laughs = (0...12).map { level in
    "<!ENTITY l\(level) \"\(String(repeating: level == 0 ? "ha" : "&l\(level - 1);", count: 10))\">"
  }.joined()

  /// The correct feed with the piece after its items.
  private static func ending(_ request: DemoRequest, _ piece: String) -> String {
    open(request, piece) + "</channel></rss>"
  }

  private static func open(_ request: DemoRequest, _ piece: String) -> String {
    request.text.rss20.dropLast("</channel></rss>\n".count) + piece
  }

  private static func declaring(
    _ request: DemoRequest, _ declarations: String, _ piece: String, external: String = ""
  ) -> String {
    ending(request, piece).replacing(
      "<rss ", with: "<!DOCTYPE rss\(external) [\(declarations)]><rss ", maxReplacements: 1)
  }

  // MARK: JSON

  private static func json(
    _ name: String, _ summary: String, _ text: @escaping @Sendable (DemoRequest) -> String
  ) -> DemoBehavior {
    response(name, summary) { DemoResponse("200 OK", [("Content-Type", "application/feed+json")], text($0)) }
  }

  private static let values = "[\(String(repeating: "0,", count: 300_000))0]"

  /// The correct feed with more elements in its list of items.
  private static func listing(_ request: DemoRequest, _ elements: String) -> String {
    "\(request.text.jsonFeed.dropLast("]}\n".count)),\(elements)]}\n"
  }
}
