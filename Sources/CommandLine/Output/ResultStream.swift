package import Diagnostics
internal import Platform
internal import Synchronization

/// The destination of a command's result: standard output, or a file that gets its name only once it is complete.
///
/// Most commands return a report, which is written here at the end. A command with a large or continuous result
/// writes it in parts while it runs, and the end only closes it.
package final class ResultStream: Sendable {
  /// What was written so far, and what is still to be written.
  private struct State {
    var isOpen = false
    var hasBegun = false
    var file: OutputFile?
    var pending: PrintableText = ""
    var lines = 0
    /// The list of a JSON envelope whose elements are being written.
    var list: JSONElementList?
  }

  private let path: String?
  private let console: Console
  private let state = Mutex(State())
  private static let chunkSize = 1 << 16

  /// - Parameter path: `nil` for standard output.
  init(path: String?, console: Console) {
    self.path = path
    self.console = console
  }

  package var hasBegun: Bool { state.withLock(\.hasBegun) }

  /// How many lines ``write(line:)`` wrote.
  var lines: Int { state.withLock(\.lines) }

  /// Opens the file now, so that a file that cannot be written fails before the work begins.
  package func open() throws { try state.withLock { try open(&$0) } }

  package func write(line json: JSONValue) throws {
    try append(json: json.text())
    try append("\n")
    state.withLock { $0.lines += 1 }
  }

  package func append(json part: String) throws { try append(PrintableText(document: part)) }

  package func append(_ part: PrintableText) throws { try state.withLock { try append(part, &$0) } }

  /// Begins an element of the list that is the result in a JSON envelope. The first element begins the document.
  package func beginElement(of name: String, in envelope: JSONEnvelope) throws {
    try state.withLock { state in
      if let list = state.list { return try append(PrintableText(document: list.separator), &state) }
      let list = JSONElementList(name, in: envelope)
      state.list = list
      try append(PrintableText(document: list.start), &state)
    }
  }

  package func flush() throws { try state.withLock { try pass(&$0) } }

  /// Ends a result that was written in parts. An open JSON document is closed, with `failure` in it.
  ///
  /// - Returns: whether the document contains the failure.
  @discardableResult
  package func finish(_ failure: CommandFailure? = nil) throws -> Bool {
    try state.withLock { state in
      if let list = state.list { try append(PrintableText(document: list.end(failure)), &state) }
      try pass(&state)
      try state.file?.finish()
      return state.list != nil
    }
  }

  private func open(_ state: inout State) throws {
    guard !state.isOpen else { return }
    state.file = try path.map { try OutputFile($0) }
    state.isOpen = true
  }

  private func append(_ part: PrintableText, _ state: inout State) throws {
    try open(&state)
    state.hasBegun = true
    state.pending += part
    if state.pending.description.utf8.count >= ResultStream.chunkSize { try pass(&state) }
  }

  private func pass(_ state: inout State) throws {
    guard !state.pending.isEmpty else { return }
    if let file = state.file {
      try file.append(state.pending.description)
    } else {
      try console.output.write(state.pending)
    }
    state.pending = ""
  }
}

/// The text of an envelope before, between and after the elements of its list.
private struct JSONElementList {
  let start: String
  let separator: String
  private let name: String
  private let envelope: JSONEnvelope

  init(_ name: String, in envelope: JSONEnvelope) {
    self.name = name
    self.envelope = envelope
    start = JSONElementList.halves(name, envelope).before
    separator = ",\n" + start.reversed().prefix { $0 == " " }
  }

  /// - Parameter failure: the error that ended the list, if any.
  package func end(_ failure: CommandFailure?) -> String {
    JSONElementList.halves(name, envelope, failure).after
  }

  /// Splits the document at a placeholder for the elements. The placeholder cannot occur before it, because
  /// container names begin with their kind.
  private static func halves(
    _ name: String, _ envelope: JSONEnvelope, _ failure: CommandFailure? = nil
  ) -> (before: String, after: String) {
    let mark = "the elements"
    let text = envelope.text(result: .object([name: .array([.string(mark)])]), failure: failure)
    guard let place = text.firstRange(of: JSONValue.string(mark).text()) else { return (text, "") }
    return (String(text[..<place.lowerBound]), String(text[place.upperBound...]))
  }
}
