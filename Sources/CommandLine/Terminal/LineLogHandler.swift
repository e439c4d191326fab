internal import Diagnostics
internal import FoundationEssentials
package import Logging

extension CommandContext {
  /// A logger to standard error: silent unless `-v`, which shows each request, except for warnings.
  package func logger(_ label: String) -> Logger {
    var logger = Logger(label: label) { _ in
      LineLogHandler(format: common.logFormat, console: process.console, now: process.now)
    }
    logger.logLevel = common.verbose ? .debug : .warning
    return logger
  }
}

private struct LineLogHandler: LogHandler {
  let format: LogFormat
  let console: Console
  let now: @Sendable () -> Date
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let message = shortened("\(event.message)")
    switch format {
    case .text:
      var line: PrintableText = "\(event.level): \(message)"
      for (key, value) in all { line += " \(shortened(key))=\(shortened("\(value)"))" }
      console.writeError(line + "\n")
    case .json:
      console.writeError(
        PrintableText(
          at: now(), level: event.level.rawValue, message, all.map { (shortened($0.key), json($0.value)) }))
    }
  }

  /// Writes numbers as JSON numbers, so that log tools can compare them.
  private func json(_ value: Logger.Metadata.Value) -> JSONValue {
    guard case .stringConvertible(let value) = value else { return .string(shortened("\(value)")) }
    return switch value {
    case let number as any BinaryInteger: Int64(clamping: number).json
    case let number as Double where number.isFinite: number.json
    case let flag as Bool: flag.json
    default: .string(shortened("\(value)"))
    }
  }

  /// The maximum length of a message or value in characters, because input can be of any length.
  private static let maxLength = 1_000

  private func shortened(_ text: String) -> String {
    let text = text.withoutSecrets
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: Self.maxLength, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return "\(text[..<end])… (\(text.utf8.count) bytes in all)"
  }
}

extension PrintableText {
  fileprivate init(
    at time: Date, level: String, _ message: String, _ values: [(key: String, value: JSONValue)] = []
  ) {
    var object: JSONObject = [
      "time": .string(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
      "level": level.json, "message": message.json,
    ]
    for (key, value) in values { object[key] = value }
    self.init(document: JSONValue.object(object).text() + "\n")
  }

  /// The text for the terminal as such a line. The level comes from its first word, such as `warning:`.
  fileprivate func logLine(at time: Date) -> PrintableText {
    let words = String(description.reversed().drop(while: \.isNewline).reversed())
    let level =
      ["error", "warning"].first { words.hasPrefix("\($0):") || words.hasPrefix("\($0)[") } ?? "info"
    return PrintableText(at: time, level: level, words)
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
        try errors.write(isLine ? text : text.logLine(at: now()))
      }), readLine: nil)
  }
}
