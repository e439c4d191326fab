internal import Diagnostics
internal import FoundationEssentials

/// A line of a JSON log: time, level, message and fields.
struct JSONLogLine {
  private let json: JSONObject

  init(at time: Date, level: String, _ message: String, _ values: [(key: String, value: JSONValue)] = []) {
    var object: JSONObject = [
      "time": .string(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
      "level": .string(level), "message": .string(message),
    ]
    for (key, value) in values { object[key] = value }
    json = object
  }

  var text: PrintableText { PrintableText(document: JSONValue.object(json).text() + "\n") }

  /// Converts text for the terminal. The level comes from its first word, such as `warning:`.
  init(of text: PrintableText, at time: Date) {
    let words = text.description.trimmingSuffix { $0.isNewline }
    let level =
      ["error", "warning"].first { words.hasPrefix("\($0):") || words.hasPrefix("\($0)[") } ?? "info"
    self.init(at: time, level: level, String(words))
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var text = self[...]
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}

extension Console {
  /// The console with standard error written as lines of JSON, and without a status line.
  func loggingJSON(now: @escaping @Sendable () -> Date) -> Console {
    let errors = errors
    return Console(
      output: output,
      errors: Stream(write: { text in
        let text = PrintableText(document: text)
        let isLine = text.description.hasPrefix("{\"time\":")
        try errors.write(isLine ? text : JSONLogLine(of: text, at: now()).text)
      }), readLine: nil)
  }
}
