package import Diagnostics
internal import Platform

/// Writes results to standard output or the `--output` file, and failures to standard error and the JSON document.
struct ResultPrinter: Sendable {
  let common: SharedOptionValues
  let format: OutputFormat
  let process: ProcessContext
  let hints: CommandHints
  /// How to call the command, shown after a usage error.
  let usage: @Sendable () -> PrintableText

  func show(_ report: any Report, on stream: ResultStream, envelope: JSONEnvelope) throws {
    let failure = report.failure?.mappingTexts(hints.completed)
    if stream.hasBegun {
      try stream.finish()
      if stream.lines > 0 { say(lines: stream.lines) }
      if let failure { process.console.writeError(text(of: failure)) }
      return
    }
    if format == .json {
      if !report.hasEnvelope { process.console.writeError(text(of: notes(of: report))) }
      let document =
        report.hasEnvelope ? envelope.document(of: report, completing: hints.completed) : report.json
      try document.write(.pretty, to: stream.append(json:))
      try stream.append("\n")
      try stream.finish()
      if let failure, !isDocumentShown { process.console.writeError(text(of: failure)) }
      return
    }
    process.console.writeError(text(of: notes(of: report).filter { !common.quiet || $0.severity > .note }))
    let style = common.outputStyle(in: process)
    let urgent = common.quiet && format == .text && common.outputFile == nil ? report.urgent : nil
    let text =
      urgent?.mappingTexts(hints.completed).text(style)
      ?? report.rendered(
        as: format, style, completing: hints.completed, pathOnGitHub: process.pathInWorkspace)
    if !(common.quiet && isOmittedWhenQuiet(report)), !text.isEmpty || common.outputFile != nil {
      try stream.append(text)
      try stream.finish()
      say(lines: text.description.utf8.count { $0 == UInt8(ascii: "\n") })
    }
    if let failure { process.console.writeError(self.text(of: failure)) }
  }

  private func notes(of report: any Report) -> [Diagnostic] {
    report.notes.map { $0.mappingTexts(hints.completed) }
  }

  private func say(lines: @autoclosure () -> Int) {
    guard let file = common.outputFile, !common.quiet else { return }
    process.console.writeError("wrote \(counted(lines(), "line")) to \(file)\n")
  }

  func show(_ failure: CommandFailure, on stream: ResultStream?, envelope: JSONEnvelope) -> ExitStatus {
    if !(writes(failure, on: stream, envelope: envelope) && isDocumentShown) {
      process.console.writeError(text(of: failure))
    }
    return failure.status
  }

  /// Writes the failure into the JSON document. Returns `false` when the format has no such document, when the document
  /// cannot be written, and when another argument names its file, which the command may not have read yet.
  private func writes(_ failure: CommandFailure, on stream: ResultStream?, envelope: JSONEnvelope) -> Bool {
    let stream = stream ?? ResultStream(path: common.outputFile, console: process.console)
    guard format == .json, !isOutputNamedTwice, !stream.hasBegun else { return false }
    do {
      try stream.append(json: envelope.text(failure: failure))
      try stream.finish()
      return true
    } catch {
      // The failure is then printed to standard error.
      return false
    }
  }

  private var isOutputNamedTwice: Bool {
    guard let file = common.outputFile, case .file? = FilePlace(file) else { return false }
    let values = process.arguments.map { $0.hasPrefix("--") ? String($0.drop { $0 != "=" }.dropFirst()) : $0 }
    return values.count { !$0.isEmpty && FilePlace($0) == FilePlace(file) } > 1
  }

  /// Whether the JSON document goes to standard output, so that the failure in it is not repeated on standard
  /// error.
  private var isDocumentShown: Bool { format == .json && common.outputFile == nil }

  private func isOmittedWhenQuiet(_ report: any Report) -> Bool {
    report.isConfirmation && report.status == .done && format == .text
  }

  private func text(of failure: CommandFailure) -> PrintableText {
    let findings = failure.diagnostics.sortedForReading()
    let hidden = findings.count - Self.maxFindings
    return text(of: Array(findings.prefix(Self.maxFindings)))
      + (hidden > 0 ? "… and \(hidden) more; '--format json' has all\n" : "") + failure.body.text(errorStyle)
      + (failure.status == .usage ? usage() : "")
  }

  private static let maxFindings = 100

  private func text(of diagnostics: [Diagnostic]) -> PrintableText {
    TextRenderer(errorStyle).render(diagnostics)
  }

  private var errorStyle: TerminalStyle { common.errorStyle(in: process) }
}

package struct JSONEnvelope: Sendable {
  package static let schemaVersion: Int64 = 1

  package let command: String
  package let container: String?
  package let environment: String?
  /// The mirror that was read, whose environment is that of the result.
  var mirror: ReadMirror?

  /// - Parameters:
  ///   - container: the container of the result, as `--container` names it.
  ///   - environment: `development` or `production`.
  package init(command: String, container: String? = nil, environment: String? = nil) {
    self.command = command
    self.container = container
    self.environment = environment
  }

  /// - Parameter complete: what is done with each text that may name a command.
  package func document(
    of report: some Report, completing complete: (String) -> String = { $0 }
  ) -> JSONValue {
    document(
      result: report.json, failure: report.failure?.mappingTexts(complete),
      diagnostics: (report.findings + report.notes).map { $0.mappingTexts(complete) })
  }

  package func text(failure: CommandFailure) -> String {
    document(result: nil, failure: failure, diagnostics: []).text(.pretty) + "\n"
  }

  private func document(
    result: JSONValue?, failure: CommandFailure?, diagnostics: [Diagnostic]
  ) -> JSONValue {
    var result = result
    if let mirror, mirror.isIncomplete, var object = result?.object {
      object["asOf"] = nil
      object["complete"] = false
      result = .object(object)
    }
    return .object([
      "schemaVersion": JSONEnvelope.schemaVersion.json, "command": command.json,
      "container": container?.json,
      "environment": (mirror?.environment ?? environment)?.json,
      "mirrorOf": mirror?.source.json, "asOf": mirror?.asOf?.json,
      "result": result, "error": failure?.json,
      "diagnostics": .array((diagnostics + (failure?.diagnostics ?? [])).map(\.json)),
    ])
  }
}
