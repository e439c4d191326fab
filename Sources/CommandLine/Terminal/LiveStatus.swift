package import Diagnostics
package import HTTPTransport
internal import Synchronization

/// What a command does and waits for, as it is shown while it runs: on a terminal in one line, which is written again
/// each second and fits the terminal's present width; elsewhere in lines of the log.
final class LiveStatus: Sendable {
  private struct Display: Sendable {
    let console: Console
    /// The width of the terminal; `nil` for a log.
    let width: (@Sendable () -> Int?)?
    let style: TerminalStyle
    /// Whether something else is being written to the same terminal now.
    let isBusy: @Sendable () -> Bool
    let showsOnlyWaits: Bool
  }

  private struct Begun {
    let wait: Wait
    let since: Duration
    var isLogged = false
  }

  private struct State {
    var waits: [Int: Begun] = [:]
    var nextID = 0
    var work: WorkProgress?
    var reading: WorkProgress?
    var drawn = Duration.zero - LiveStatus.interval
    var isShown = false
    var hasEnded = false
    /// When a log last had a line about progress.
    var progressLogged = Duration.zero
    /// When a log last had a line about a wait for an event.
    var eventLogged: Duration?
    /// The end of the pauses that a log knows of.
    var pausesUntil = Duration.zero
  }

  /// The least time between two drawings.
  private static let interval = Duration.milliseconds(100)
  /// The time after which a command says what it is doing.
  private static let patience = Duration.seconds(1)
  /// The time for which progress is news; after that a wait is shown instead.
  private static let freshness = Duration.seconds(2)
  /// The least time between two lines of progress in a log.
  private static let logInterval = Duration.seconds(5)
  /// The least time between two lines of a log about waits for events.
  private static let eventInterval = Duration.seconds(30)

  /// `nil` shows nothing.
  private let display: Display?
  private let uptime: @Sendable () -> Duration
  private let tick: @Sendable () async throws -> Void
  private let start: Duration
  private let state: Mutex<State>
  private let ticker = Mutex<Task<Void, Never>?>(nil)

  /// The status of a command on its process's console.
  ///
  /// - Parameter results: what must not be interrupted while it is written to the same terminal; `nil` after that.
  init(_ common: SharedOptionValues, _ process: ProcessContext, _ results: ResultStream? = nil) {
    let errors = process.console.errors
    let sharesTerminal = common.outputFile == nil && process.console.output.isTerminal
    let display = Display(
      console: process.console,
      // The status line needs a terminal that can move the cursor to the start of the line.
      width: process.environment["TERM"] == "dumb" ? nil : errors.width,
      style: common.errorStyle(in: process),
      isBusy: { sharesTerminal && results?.hasBegun ?? false }, showsOnlyWaits: common.quiet)
    // Cron mails each line of a log.
    self.display = common.quiet && display.width == nil ? nil : display
    uptime = process.uptime
    tick = process.tick
    start = process.uptime()
    state = Mutex(State(progressLogged: start))
  }

  deinit { ticker.withLock { $0?.cancel() } }

  /// Ends the display: what follows is the command's result.
  func end() {
    ticker.withLock { $0?.cancel() }
    state.withLock { $0 = State(hasEnded: true) }
    display?.console.status.wipe()
  }

  // MARK: What happens

  var waits: WaitReporter {
    WaitReporter { [self] wait in
      let id = begin(wait)
      return { [self] in end(id) }
    }
  }

  private func begin(_ wait: Wait) -> Int {
    guard display != nil else { return 0 }
    let now = uptime()
    let id = state.withLock { state in
      state.nextID += 1
      state.waits[state.nextID] = Begun(wait: wait, since: now)
      return state.nextID
    }
    keepTicking()
    if wait.certainDuration >= Self.patience { draw() }
    return id
  }

  private func end(_ id: Int) {
    let wasShown = state.withLock { state in
      state.waits[id] = nil
      return state.isShown && state.waits.isEmpty && state.work == nil && state.reading == nil
    }
    if wasShown { draw() }
  }

  func show(_ title: String, done: Int, total: Int?) {
    guard let display, !display.showsOnlyWaits else { return }
    let now = uptime()
    let isDue = state.withLock { state in
      if state.work?.title == title {
        state.work?.update(done: done, total: total, at: now)
      } else {
        state.work = WorkProgress(title, done: done, total: total, at: now)
      }
      return now - state.drawn >= Self.interval
    }
    keepTicking()
    if isDue { draw() }
  }

  func showReading(_ records: Int) {
    guard let display, !display.showsOnlyWaits, records > 0 else { return }
    let now = uptime()
    let isDue = state.withLock { state in
      guard state.work == nil else { return false }
      state.reading = WorkProgress("reading", done: records, total: nil, at: now)
      return now - start >= Self.patience && now - state.drawn >= Self.interval
    }
    if isDue { draw() }
  }

  private func keepTicking() {
    ticker.withLock { ticker in
      guard ticker == nil else { return }
      ticker = Task { [weak self, tick] in
        while !Task.isCancelled {
          // Canceled: the command has ended.
          do { try await tick() } catch { return }
          guard let self else { return }
          draw()
        }
      }
    }
  }

  // MARK: Drawing

  /// Shows what is going on now. Called each second, and when something begins.
  func draw() {
    guard let display, !display.isBusy() else { return }
    let now = uptime()
    state.withLock { state in
      guard !state.hasEnded else { return }
      if let width = display.width {
        let text = Self.text(state, now, since: start, width: width() ?? 80, display.style)
        if let text { display.console.status.show(text) }
        if text == nil, state.isShown { display.console.status.wipe() }
        state.isShown = text != nil
        if text != nil { state.drawn = now }
      } else {
        state.drawn = now
        // Ignore errors: a closed standard error must not end the work.
        for line in Self.lines(&state, now) { try? display.console.errors.write(line + "\n") }
      }
    }
  }

  private static func text(
    _ state: State, _ now: Duration, since start: Duration, width: Int, _ style: TerminalStyle
  ) -> PrintableText? {
    let work = state.work ?? (now - start >= patience ? state.reading : nil)
    if let begun = shown(state, now), work.map({ isStalled($0, begun, now) }) ?? true {
      return WaitText(wait: begun.wait, age: now - begun.since, progress: progress(state)).text(width: width)
    }
    guard let work else { return nil }
    guard state.work == nil else { return work.text(at: now, width: width, style) }
    return "\(String(reading(work).prefix(max(0, width - 1))))"
  }

  private static func reading(_ work: WorkProgress) -> String { "reading: \(counted(work.done, "record"))" }

  private static func progress(_ state: State) -> String? { state.work?.words ?? state.reading.map(reading) }

  private static func isStalled(_ work: WorkProgress, _ begun: Begun, _ now: Duration) -> Bool {
    work.changed <= begun.since || now - work.changed >= freshness
  }

  /// The wait that has lasted longest, of those that last longer than a second or are known to.
  private static func shown(_ state: State, _ now: Duration) -> Begun? {
    let long = state.waits.filter { now - $1.since >= patience || $1.wait.certainDuration >= patience }
    let oldest = long.max { left, right in
      let ages = [left, right].map { $0.value.wait.elapsed + (now - $0.value.since) }
      return ages[0] == ages[1] ? left.key > right.key : ages[0] < ages[1]
    }
    return oldest?.value
  }

  /// The lines that a log gets: each long pause once when it begins, other waits now and then, and progress.
  private static func lines(_ state: inout State, _ now: Duration) -> [PrintableText] {
    var lines: [PrintableText] = []
    for (id, begun) in state.waits.sorted(by: { $0.key < $1.key }) where !begun.isLogged {
      let pause = begun.wait.certainDuration
      guard pause >= patience else { continue }
      state.waits[id]?.isLogged = true
      // One line for requests that wait for the same service together.
      guard begun.since + pause >= state.pausesUntil + patience else { continue }
      state.pausesUntil = begun.since + pause
      lines.append(WaitText(wait: begun.wait, age: now - begun.since, progress: progress(state)).line)
    }
    if let begun = shown(state, now), !begun.isLogged, now - begun.since >= logInterval,
      state.eventLogged.map({ now - $0 >= eventInterval }) ?? true
    {
      state.eventLogged = now
      lines.append(WaitText(wait: begun.wait, age: now - begun.since, progress: progress(state)).line)
    }
    guard now - state.progressLogged >= logInterval else { return lines }
    if let work = state.work, !work.isAtEnd, work.changed > state.progressLogged {
      state.progressLogged = now
      lines.append(work.line(at: now))
    } else if state.work == nil, let work = state.reading, work.changed > state.progressLogged {
      state.progressLogged = now
      lines.append("\(reading(work))")
    }
    return lines
  }
}

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

/// Says which page or feed is being fetched, for as long as that takes.
private struct ReportingTransport: HTTPTransport {
  let base: any HTTPTransport
  let waits: WaitReporter

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let ended = waits.begin(Self.wait(for: request))
    defer { ended() }
    return try await base.send(request)
  }

  func resolves(_ host: String) async -> Bool { await base.resolves(host) }

  /// Without the query and what stands before the host, which may be secret.
  private static func wait(for request: HTTPRequest) -> Wait {
    guard let url = URLParts(request.url) else {
      return Wait("fetching a page", limit: request.limits.totalTimeout)
    }
    return Wait(
      "fetching \(url.host)", detail: "fetching \(url.host)\(url.path)", limit: request.limits.totalTimeout)
  }
}

extension CommandContext {
  /// A transport that shows which page or feed is being fetched, once that has taken a second.
  package func reporting(_ transport: any HTTPTransport) -> any HTTPTransport {
    ReportingTransport(base: transport, waits: waits)
  }
}
