package import Diagnostics
package import FoundationEssentials
internal import Platform
internal import Synchronization
internal import SystemPackage

/// The context of a running command: its options and settings, the process, and the result stream.
package struct CommandContext: Sendable {
  package let common: SharedOptionValues
  package let format: OutputFormat
  package let settings: Settings
  package let process: ProcessContext
  package let results: ResultStream
  package let hints: CommandHints?
  package let monitor: JobRunMonitor?
  let live: LiveStatus
  private let state = SharedState()

  package init(
    common: SharedOptionValues, format: OutputFormat, settings: Settings, process: ProcessContext,
    hints: CommandHints? = nil, monitor: JobRunMonitor? = nil
  ) {
    self.hints = hints
    self.monitor = monitor
    self.common = common
    self.format = format
    self.settings = settings
    // One that cannot be read has ended the command already.
    isClockStopped = (try? settings.lookup(.clock)) != nil
    self.process = process
    results = ResultStream(path: common.outputFile, console: process.console)
    live = LiveStatus(common, process, results)
  }

  /// The time for dates that the command stores: what a followed clock shows, else this machine's. A setting that stops
  /// the clock decides for both.
  package var time: Date { (isClockStopped ? nil : followedTime?.lowerBound) ?? process.now() }
  package let isClockStopped: Bool

  /// Takes the time from another clock from now on, as soon as that one shows between which moments it is.
  package func follow(_ clock: @escaping @Sendable () -> ClosedRange<Date>?) {
    state.values.withLock { $0.clock = clock }
  }

  private var followedTime: ClosedRange<Date>? { state.values.withLock(\.clock)() }

  /// Prints a note if this machine's clock is more than a minute from the followed one. It decides nothing.
  func noteClockDifference() {
    guard !isClockStopped, let service = followedTime else { return }
    let (early, late) = (
      service.lowerBound.timeIntervalSince(process.now()), process.now().timeIntervalSince(service.upperBound)
    )
    guard max(early, late) > 60 else { return }
    let difference = ShortDuration.text(.seconds(max(early, late)))
    note(
      "note: this machine's clock is \(difference) \(late > 0 ? "ahead of" : "behind") the service's; the service's time counts"
    )
  }

  package var errorStyle: TerminalStyle { common.errorStyle(in: process) }

  /// Notes that the command reads a mirror, not the container itself, and prints a line about the first one.
  package func reads(_ mirror: ReadMirror, _ line: String) {
    hints?.use(container: mirror.source, environment: mirror.environment)
    let isFirst = state.values.withLock { state in
      defer { state.mirror = mirror }
      return state.mirror == nil
    }
    // That records are missing needs a person.
    if isFirst { mirror.isIncomplete ? alert("\(line)") : note("\(line)") }
  }

  package var mirror: ReadMirror? { state.values.withLock(\.mirror) }

  /// Prints a line on standard error, unless `-q` is given.
  package func note(_ text: PrintableText) {
    if !common.quiet { alert(text) }
  }

  /// Prints a line that a person must read, also with `-q`.
  package func alert(_ text: PrintableText) {
    process.console.writeError(text.mapped(completed) + "\n")
  }

  /// Adds this command's container to the commands of a text (``CommandHints``). For pages, whose texts are not completed
  /// when they are printed.
  package func completed(_ text: String) -> String { hints?.completed(text) ?? text }

  /// Prints a warning on standard error, also with `-q`. A repeated warning is printed once.
  package func warn(_ text: String) { once("warning: \(text)", alert) }

  /// Prints a line as ``note(_:)`` does, unless it was printed before.
  package func noteOnce(_ text: PrintableText) { once(text, note) }

  private func once(_ text: PrintableText, _ print: (PrintableText) -> Void) {
    if state.values.withLock({ $0.notes.insert(text.description).inserted }) { print(text) }
  }
}

/// What all copies of a context share.
private final class SharedState: Sendable {
  struct Values {
    var notes: Set<String> = []
    var mirror: ReadMirror?
    var clock: @Sendable () -> ClosedRange<Date>? = { nil }
  }

  let values = Mutex(Values())
}

package struct ReadMirror: Sendable {
  /// The mirrored container, as `--container` names it.
  package let source: String
  package let environment: String
  /// The moment before which the mirror is complete; `nil` if it is not.
  let asOf: String?
  /// The record types that the service has and the mirror does not.
  package let leftOut: Set<String>
  private let copying: @Sendable (_ types: [String]) -> String

  /// Records of some type are missing, so no result is complete, and none holds as of a moment.
  package var isIncomplete: Bool { asOf == nil }

  /// - Parameter copying: how to copy types that were left out.
  package init(
    of source: String, environment: String, asOf: String?, leftOut: Set<String>,
    copying: @escaping @Sendable (_ types: [String]) -> String
  ) {
    self.source = source
    self.environment = environment
    self.asOf = asOf
    self.leftOut = leftOut
    self.copying = copying
  }

  /// How to copy record types that were left out; `nil` where none of them was.
  package func advice(toCopy types: some Sequence<String>) -> String? {
    let missing = leftOut.intersection(types).sorted()
    return missing.isEmpty ? nil : copying(missing)
  }
}

/// The environment, directory, console and clock of the process. Passed to commands so that tests can replace them.
package struct ProcessContext: Sendable {
  package var environment: [String: String]
  package var arguments: [String] = []
  package var directory: String
  package var console: Console
  package var now: @Sendable () -> Date
  package var wait: @Sendable (Duration) async throws -> Void
  /// Time that only moves forward, also when a setting freezes `now`.
  package var uptime: @Sendable () -> Duration = { ContinuousClock.now - ProcessContext.start }
  /// Returns after a second, when a status line is to be written again.
  package var tick: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }

  private static let start = ContinuousClock.now

  /// The absolute form of a path, which is relative to the working directory. Links and `..` stay in it.
  package func absolutePath(_ path: String) -> String { FilePath(directory).pushing(FilePath(path)).string }

  @TaskLocal package static var current = ProcessContext.system

  package static var system: ProcessContext {
    let environment = ProcessInfo.processInfo.environment
    return ProcessContext(
      environment: environment, arguments: Swift.CommandLine.arguments,
      directory: FileManager.default.currentDirectoryPath,
      console: .system(environment), now: { Date() }, wait: { try await Task.sleep(for: $0) })
  }

  /// The hosts in `CELESTRA_ADMIN_HTTP_HOSTS`, separated by commas, that may be reached over plain http, such as
  /// services in a container network. Only an environment variable can set them.
  package var plainHTTPHosts: Set<String> {
    let names = environment[SettingKey.httpHosts.variable]?.split { $0 == "," || $0.isWhitespace } ?? []
    return Set(names.map { $0.lowercased() })
  }

  /// The path of a file from the folder in which GitHub Actions checks the repository out: a step may run in a folder below
  /// it. Other names, such as that of a file of a commit, stay as they are.
  func pathInWorkspace(_ name: String) -> String {
    guard let workspace = environment["GITHUB_WORKSPACE"], !workspace.isEmpty,
      (try? FileKind(name)) == .file, let root = try? FileKind.resolvedPath(workspace),
      let folder = try? FileKind.resolvedPath(FileKind.folder(of: name)), "\(folder)/".hasPrefix("\(root)/")
    else { return name }
    let file = name[(name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex)...]
    return String("\(folder)/\(file)".dropFirst(root.count + 1))
  }

  /// The user's configuration folder for this tool; `nil` if neither XDG_CONFIG_HOME nor HOME is set. An empty
  /// variable counts as unset (XDG Base Directory Specification).
  package var configurationFolder: String? {
    let bases = [
      environment["XDG_CONFIG_HOME"], environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config" },
    ]
    return bases.compactMap(\.self).first { !$0.isEmpty }.map { "\($0)/celestra-admin" }
  }
}
