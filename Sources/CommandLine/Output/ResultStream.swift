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

  package func flush() throws { try state.withLock { try pass(&$0) } }

  func finish() throws {
    try state.withLock { state in
      try pass(&state)
      try state.file?.finish()
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
