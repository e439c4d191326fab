internal import CloudKitEmulator
internal import CloudKitModel
internal import Diagnostics
internal import FeedState
internal import LocalContainer
internal import RecordChanges
internal import Reporting
internal import SchemaLanguage

extension LocalConsole {
  private static let maxRuns = 8
  /// Of the files of the last runs.
  private static let maxHistoryBytes = 1 << 24

  /// The first page: warnings, the verdict about the feeds, the record types, the last runs, and what is wrong.
  func home() async throws -> EmulatorReply {
    var health: HealthSummary?
    var unread: HTML = ""
    do { health = try await self.health() } catch { unread = Self.notice("\(CommandFailure(error).message)") }
    let runs: HTML
    do { runs = try self.runs() } catch { runs = Self.notice("\(CommandFailure(error).message)") }
    let reset: HTML = options.isReadOnly ? "" : "<p><a\(link("reset"))>Delete all records…</a></p>\n"
    let content: HTML = """
      \(warnings)\(unread)\(health?.head ?? "")<div class="columns"><div>
      <h2>Records</h2>
      \(try await types())</div>
      <div>
      \(runs)</div></div>
      \(health?.causes ?? "")\(reset)
      """
    return page(
      health?.verdict ?? "Container", content, at: "", kind: health.map { "verdict \($0.worst.rawValue)" },
      script: PackageResources.console_js)
  }

  static func notice(_ content: HTML) -> HTML { "<div class=\"notice\"><p>\(content)</p></div>\n" }

  private var warnings: HTML {
    var queue: String?
    if case .failure(let failure) = moderation { queue = "There is no queue of reports: \(failure.message)." }
    return [
      store.mirror.map { "This is a \($0.description). Nothing can be changed in it." }, store.warning, queue,
    ].compactMap(\.self).map { Self.notice("\(options.completed($0))") }.joined()
  }

  private func health() async throws -> HealthSummary? {
    try await HealthSummary.read(
      of: container, isOfPart: store.mirror?.gap != nil, mapping: options.mapping, at: options.now(),
      completed: options.completed
    ) { self.link("record", $0) }
  }

  private func types() async throws -> HTML {
    let rows = try await store.info().counts.filter { $0.environment == options.environment }.map {
      count -> HTML in
      // CloudKit refuses queries of Users.
      let name: HTML =
        count.recordType == SystemNames.users
        ? "Users" : "<a\(link("records", count.recordType))>\(count.recordType)</a>"
      let records = count.isWhole ? "\(count.records)" : "not read"
      return "<tr><th scope=\"row\">\(name)</th><td class=\"number\">\(records)</td></tr>\n"
    }
    return """
      <table><thead><tr><th scope="col">Record type</th><th scope="col" class="number">Records</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>

      """
  }

  /// The last runs that wrote to this container from this state folder, the newest first.
  private func runs() throws -> HTML {
    guard let folder = options.stateFolder, let history = try RunHistory.existing(in: folder) else {
      return ""
    }
    let (read, leftOut) = try history.runs(upTo: Self.maxHistoryBytes)
    let damaged = read.prefix(Self.maxRuns).compactMap { reading -> HTML? in
      if case .failure(let error) = reading.run { Self.notice("\(error.description)") } else { nil }
    }
    let all = read.compactMap { try? $0.run.get() }
    let standing = StandingChanges(all)
    let runs = all.filter { $0.target.isSameContainer(as: container.identity) }.prefix(Self.maxRuns)
    let name = container.identity.name.shellWord
    let more: HTML =
      leftOut == 0
      ? "" : "<p class=\"soft\">celestra-admin history --container \(name) lists all.</p>\n"
    guard !runs.isEmpty else { return damaged.joined() + more }
    let rows = runs.map { run -> HTML in
      """
      <tr><td>\(ConsoleParts.time(run.beganToWrite))</td><td>\(run.command)</td><td>\(run.summary(standing).plain)</td></tr>

      """
    }
    return """
      <h2>Last runs</h2>
      \(damaged.joined())\
      <table class="stack"><caption>\(ConsoleParts.timeZone)</caption>
      <thead><tr><th scope="col">First write</th><th scope="col">Command</th><th scope="col">Records</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>
      \(more)
      """
  }
}
