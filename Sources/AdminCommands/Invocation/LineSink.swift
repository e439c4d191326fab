internal import Diagnostics
internal import Synchronization

/// Takes a result line by line, for results too large to hold: to standard output, or to a file that appears
/// under its name only when it is whole.
final class LineSink: Sendable {
  private let file: OutputFile?
  private let console: Console
  private let pending = Mutex<PrintableText>("")
  private static let chunk = 1 << 16

  /// - Parameter path: `nil` for standard output.
  init(path: String?, console: Console) throws {
    file = try path.map(OutputFile.init)
    self.console = console
  }

  /// A line of JSON.
  func write(_ json: JSONValue) throws {
    try append(json: json.text())
    try append("\n")
  }

  /// A part of a JSON document.
  func append(json part: String) throws { try append(PrintableText(document: part)) }

  func append(_ part: PrintableText) throws {
    try pending.withLock { text in
      text += part
      if text.description.utf8.count >= LineSink.chunk { try pass(&text) }
    }
  }

  /// Lets what was written be seen.
  func flush() throws { try pending.withLock { try pass(&$0) } }

  func finish() throws {
    try flush()
    try file?.finish()
  }

  private func pass(_ text: inout PrintableText) throws {
    if let file { try file.append(text.description) } else { try console.output.write(text) }
    text = ""
  }
}
