internal import Diagnostics
internal import FeedParsing

/// What became of one input.
struct InspectedFeed: MemoryWeighted {
  enum Outcome {
    case parsed(ParsedFeed)
    /// There was nothing to parse.
    case unreadable(code: String, message: String)
  }

  let input: String
  let outcome: Outcome
  /// The document's bytes: what was kept of it is of their order.
  let weight: Int
  /// The address of the document, when redirects led there.
  var redirectedTo: String?
  /// The feeds that a web page at the address links to.
  var feedLinks: [String] = []

  init(input: String, outcome: Outcome, weight: Int) {
    self.input = input
    self.outcome = outcome
    self.weight = weight
  }

  init(input: String, unreadable code: String, _ message: String) {
    self.init(input: input, outcome: .unreadable(code: code, message: message), weight: message.utf8.count)
  }

  var isUnreadable: Bool { if case .unreadable = outcome { true } else { false } }

  /// The object of this input on one line, part by part.
  func writeJSON(to write: (String) throws -> Void) rethrows {
    switch outcome {
    case .parsed(let feed):
      var more: JSONObject = [:]
      more["redirectedTo"] = redirectedTo.map(JSONValue.string)
      if !feedLinks.isEmpty { more["feedLinks"] = .array(feedLinks.map(JSONValue.string)) }
      try feed.writeJSON(input: input, beside: more, to: write)
    case .unreadable(let code, let message):
      let json: JSONValue = [
        "input": .string(input), "format": "unknown", "wellFormed": false, "recovered": false, "items": [],
        "diagnostics": [["code": .string(code), "severity": "error", "message": .string(message)]],
      ]
      try write(json.text())
    }
  }
}
