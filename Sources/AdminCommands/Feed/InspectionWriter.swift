internal import Diagnostics

/// Writes inspected feeds one after the other, in the format asked for, each as soon as it is known.
struct InspectionWriter {
  private let session: Session
  private let sink: LineSink
  private let list: EnvelopeList
  private var count = 0
  private var unreadable = 0

  /// Throws when the file asked for cannot be written.
  init(_ session: Session) throws {
    self.session = session
    sink = try LineSink(path: session.common.outputFile, console: session.world.console)
    list = EnvelopeList("feeds", in: try session.envelope(for: FeedInspect.title))
  }

  mutating func write(_ feed: InspectedFeed) throws {
    switch session.format {
    case .json:
      try sink.append(json: count == 0 ? list.start : list.separator)
      try feed.writeJSON(to: sink.append(json:))
    case .text:
      let style = session.common.outputStyle(in: session.world)
      try sink.append((count == 0 ? "" : "\n") + FeedSummary(feed, style).text)
    default:
      try feed.writeJSON(to: sink.append(json:))
      try sink.append("\n")
    }
    try sink.flush()
    count += 1
    unreadable += feed.isUnreadable ? 1 : 0
  }

  mutating func finish() throws -> CommandResult {
    let nothing = CommandFailure("none of the inputs could be read", code: "unreadable-input")
    return try finish(unreadable == count ? nothing : nil)
  }

  /// A document that is begun is ended, with what is in it and why there is no more.
  mutating func finish(after error: any Error) throws -> CommandResult {
    guard session.format == .json, count > 0, !(error is Console.ClosedPipe) else { throw error }
    return try finish(CommandFailure(error))
  }

  private func finish(_ failure: CommandFailure?) throws -> CommandResult {
    if session.format == .json { try sink.append(json: list.end(failure)) }
    try sink.finish()
    var result = CommandResult(failure?.status ?? .done, json: [:]) { _, _ in nil }
    result.isWritten = true
    result.failure = failure
    return result
  }
}
