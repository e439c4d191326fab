internal import Diagnostics
internal import FoundationEssentials

/// One line of a log for programs: when, how serious, what, and what belongs to it.
struct LogLine {
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

  /// What a command prints for a person, as a line for programs. Its first word says how serious it is.
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
  /// The same console with everything on standard error written as lines of JSON: nothing is drawn there.
  func loggingJSON(now: @escaping @Sendable () -> Date) -> Console {
    let errors = errors
    return Console(
      output: output,
      errors: Stream(write: { text in
        let text = PrintableText(document: text)
        let isLine = text.description.hasPrefix("{\"time\":")
        try errors.write(isLine ? text : LogLine(of: text, at: now()).text)
      }), readLine: nil)
  }
}
