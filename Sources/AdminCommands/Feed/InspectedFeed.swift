internal import Diagnostics
internal import FeedParsing

/// The result of inspecting one input.
struct InspectedFeed: SizedResult {
  /// The parsed feed, or why the input could not be read.
  enum Outcome {
    case parsed(ParsedFeed)
    /// The input could not be read.
    case unreadable(code: String, message: String)
  }

  let input: String
  let outcome: Outcome
  /// The size of the document in bytes, as an estimate of the memory that the result needs.
  let weight: Int
  /// The final URL, if the server redirected.
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

  /// Writes the result as one line of JSON, in parts.
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
