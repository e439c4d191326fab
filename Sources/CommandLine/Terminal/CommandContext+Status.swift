package import Diagnostics

extension CommandContext {
  /// Progress of work, on standard error: a bar on a terminal, elsewhere a line every five seconds. The total is `nil`
  /// when it is not known.
  ///
  /// Nothing is shown with `-q` but waits on a terminal, and nothing while results are written to the same terminal.
  package func progress(of command: String) -> @Sendable (_ done: Int, _ total: Int?) -> Void {
    { [live] in live.show(command, done: $0, total: $1) }
  }

  /// The number of records read so far, for commands that are still reading after a second. It gives way to
  /// ``progress(of:)``.
  package func readingProgress() -> @Sendable (_ records: Int) -> Void {
    { [live] in live.showReading($0) }
  }

  /// Shows what the command waits for: on a terminal counting down each second, elsewhere in lines that have the real
  /// length of each pause.
  package var waits: WaitReporter { live.waits }
}

extension LiveStatus {
  /// The status of a command on its process's console.
  ///
  /// - Parameter results: what must not be interrupted while it is written to the same terminal; `nil` after that.
  convenience init(
    _ common: SharedOptionValues, _ process: ProcessContext, _ results: ResultStream? = nil
  ) {
    let errors = process.console.errors
    let sharesTerminal = common.outputFile == nil && process.console.output.isTerminal
    var display = Display(
      console: process.console,
      // The status line needs a terminal that can move the cursor to the start of the line.
      width: process.environment["TERM"] == "dumb" ? nil : errors.width,
      style: TerminalStyle.resolve(common.color, on: errors, environment: process.environment),
      isBusy: { sharesTerminal && results?.hasBegun ?? false })
    display.showsOnlyWaits = common.quiet
    // Cron mails each line of a log.
    self.init(
      common.quiet && display.width == nil ? nil : display, uptime: process.uptime, tick: process.tick)
  }
}
