internal import Diagnostics
public import Logging

extension Session {
  /// A logger to standard error: silent unless `-v`, which shows each request, except for warnings.
  public func logger(_ label: String) -> Logger {
    var logger = Logger(label: label) { _ in
      LineLogHandler(format: common.logFormat, stream: world.console.errors)
    }
    logger.logLevel = common.verbose ? .debug : common.quiet ? .error : .warning
    return logger
  }
}

/// Writes a log entry as a line of text or of JSON.
private struct LineLogHandler: LogHandler {
  let format: LogFormat
  let stream: Console.Stream
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  init(format: LogFormat, stream: Console.Stream) {
    self.format = format
    self.stream = stream
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    // A log line that cannot be written must not end the work it tells about.
    try? stream.write(line(event.level, "\(event.message)", all.map { ($0.key, "\($0.value)") }))
  }

  private func line(_ level: Logger.Level, _ message: String, _ values: [(String, String)]) -> PrintableText {
    switch format {
    case .text:
      var line: PrintableText = "\(level): \(shortened(message))"
      for (key, value) in values { line += " \(shortened(key))=\(shortened(value))" }
      return line + "\n"
    case .json:
      var object: JSONObject = ["level": .string(level.rawValue), "message": .string(shortened(message))]
      for (key, value) in values { object[shortened(key)] = .string(shortened(value)) }
      return PrintableText(document: JSONValue.object(object).text() + "\n")
    }
  }

  /// Characters of a message or a value that are written at most: what a client sends may be of any length.
  private static let maxLength = 1_000

  private func shortened(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: Self.maxLength, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return "\(text[..<end])… (\(text.utf8.count) bytes in all)"
  }
}
