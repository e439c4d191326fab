internal import Diagnostics
internal import Logging

extension Session {
  /// A logger to standard error: silent unless `-v`, which shows each request, except for warnings.
  func logger(_ label: String) -> Logger {
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
    let line: String
    switch format {
    case .text:
      let pairs = all.map { " \($0.key)=\($0.value)" }.joined()
      line = "\(event.level): \(event.message)\(pairs)\n"
    case .json:
      var object: JSONObject = [
        "level": .string(event.level.rawValue), "message": .string("\(event.message)"),
      ]
      for (key, value) in all { object[key] = .string("\(value)") }
      line = JSONValue.object(object).text() + "\n"
    }
    // A log line that cannot be written must not end the work it tells about.
    try? stream.write(line)
  }
}
