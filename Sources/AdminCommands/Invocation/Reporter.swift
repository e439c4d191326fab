internal import Diagnostics

/// Writes results to standard output or the `--output` file, and failures to where they belong.
struct Reporter: Sendable {
  private let common: CommonOptions
  private let format: OutputFormat
  private let world: World
  /// How the command is called, for who called it wrongly.
  private let usage: @Sendable () -> PrintableText

  init(
    common: CommonOptions, format: OutputFormat, world: World, usage: @escaping @Sendable () -> PrintableText
  ) {
    self.usage = usage
    self.common = common
    self.format = format
    self.world = world
  }

  func show(_ result: CommandResult, envelope: Envelope) throws {
    if result.isWritten {
      if let failure = result.failure, !isDocumentShown { world.console.tell(text(of: failure)) }
      return
    }
    if format == .json {
      let sink = try LineSink(path: common.outputFile, console: world.console)
      try envelope.write(result, to: sink)
      return try sink.finish()
    }
    if !result.rendersDiagnostics, !result.diagnostics.isEmpty {
      world.console.tell(text(of: result.diagnostics))
    }
    let style = common.outputStyle(in: world)
    if let text = try result.render(format, style), !(common.quiet && isKeptBack(result)) {
      try write(text)
    }
  }

  /// Shows a failure and returns the exit status it means.
  func show(_ failure: CommandFailure, envelope: Envelope) -> ExitStatus {
    let isWritten =
      format == .json && (try? write(PrintableText(document: envelope.text(failure: failure)))) != nil
    if !isWritten || !isDocumentShown { world.console.tell(text(of: failure)) }
    return failure.status
  }

  /// A person is told of a failure unless the document that says it is before them.
  private var isDocumentShown: Bool { format == .json && common.outputFile == nil }

  private func isKeptBack(_ result: CommandResult) -> Bool {
    result.isConfirmation && result.status == .done && format == .text
  }

  private func write(_ text: PrintableText) throws {
    guard let path = common.outputFile else { return try world.console.output.write(text) }
    try OutputFile.write(text.description, to: path)
  }

  private func text(of failure: CommandFailure) -> PrintableText {
    text(of: failure.diagnostics) + failure.text(after: "error:", errorStyle)
      + (failure.status == .usage ? usage() : "")
  }

  private func text(of diagnostics: [Diagnostic]) -> PrintableText {
    diagnostics.isEmpty ? "" : TextRenderer(colored: errorStyle.isColored).render(diagnostics)
  }

  private var errorStyle: Style {
    .resolve(common.color, isTerminal: world.console.errors.isTerminal, environment: world.environment)
  }
}
