internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Synchronization

struct DemoSteps {
  /// The time of a demo in a temporary folder, so that its output is always the same.
  static let usualTime = Timestamp(milliseconds: 1_767_261_600_000)

  private let stage: DemoWorkspace
  private let style: TerminalStyle
  private let now: Timestamp

  /// - Parameter now: the time of all steps.
  init(stage: DemoWorkspace, color: ColorChoice, now: Timestamp) {
    self.stage = stage
    self.now = now
    style = TerminalStyle.resolve(
      color, on: stage.process.console.output, environment: stage.process.environment)
  }

  func run() async throws {
    try say(
      "\("celestra-admin", .strong): import a catalog from files and compute its numbers, on a container that enforces CloudKit's rules."
    )
    try await step("The schema is checked offline, then imported.", "schema validate celestra.ckdb")
    try await step(nil, "schema apply celestra.ckdb", lines: 1)
    try await step(
      "Show what the editors' JSON files would change, then apply it.", "seed plan seeds", lines: 7)
    try await step(nil, "seed apply seeds", lines: 1)
    try await step("Applying the same seeds again changes nothing.", "seed apply seeds", lines: 1)
    try await step(
      "Fetch every feed and assess it. The demo's feeds are on loopback, so the command needs the flag.",
      "health check --allow-private-addresses", lines: 24)
    try await step("Make up subscribers.", "container fill --users 2000 --per-user 6 --random 7")
    try await step("Count subscribers, which CloudKit cannot do.", "recount subscribers")
    try await step("Compute quality scores from the health checks.", "recount quality")
    try await step(
      "The most read feeds. The demo formats the JSON of this command as a table:",
      "records query PublicFeed --sort subscriberCount:desc --limit 8 --format json", asTable: true)
    try await step(
      "Store the items of one category's feeds as articles, in the job that checks them.",
      "articles fetch --category technology --force --allow-private-addresses", lines: 20)
    try await step("Find articles by a word.", "articles search gardens --limit 3")
    try say("")
    try say("Nothing here needed an Apple account.")
    if stage.isTemporary {
      try say("To keep the folder and look around: \("celestra-admin demo --directory demo", .code)")
    } else {
      try say("The schema, the seeds and the container stay in \(stage.folder, .address).")
    }
  }

  private func step(
    _ purpose: String?, _ line: String, lines: Int = 30, asTable: Bool = false
  ) async throws {
    if let purpose {
      try say("")
      try say("\(purpose)")
    }
    try say("\("$", .dim) \("celestra-admin \(line)", .address)")
    let words = line.split(separator: " ").map(String.init)
    let output = try await run(words)
    let text = asTable ? try Self.topFeeds(output).text().description : output
    let all = text.split(separator: "\n")
    for kept in all.prefix(lines) { try say("  \(kept)") }
    if lines < all.count { try say("\("  (\(all.count - lines) more lines)", .dim)") }
  }

  /// Runs a command as a shell would, and returns its output.
  private func run(_ words: [String]) async throws -> String {
    let printed = Mutex("")
    let errors = Mutex("")
    var process = stage.process
    process.directory = stage.folder
    let now = now
    process.now = { now.date }
    process.environment = ["HOME": stage.folder, "NO_COLOR": "1"]
    process.console = Console(
      output: .init(write: { text in printed.withLock { $0 += text } }),
      errors: .init(write: { text in errors.withLock { $0 += text } }))
    var command = try AdminTool.parseAsRoot(words)
    do {
      try await ProcessContext.$current.withValue(process) {
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      }
    } catch let code as ExitCode {
      throw CommandFailure(
        "'\(words.joined(separator: " "))' ended with \(code.rawValue) in \(stage.folder)",
        details: errors.withLock { $0.split(separator: "\n").map(String.init) })
    }
    return printed.withLock(\.self)
  }

  private func say(_ line: StyledText) throws {
    try stage.process.console.output.write(ReportBody { line }.text(style))
  }

  /// The feeds with the most subscribers and their scores, of the JSON that `records query --format json` printed.
  static func topFeeds(_ json: String) throws -> ReportBody {
    var table = Table([.init("readers", .right), .init("score", .right), .init("feed")])
    for record in try JSONValue(parsing: json)["result"]?["records"]?.array ?? [] {
      func value(_ field: String) -> JSONValue? { record["fields"]?[field]?["value"] }
      table.add(
        "\(value("subscriberCount")?.integer ?? 0)",
        value("qualityScore")?.number.map { StyledText(FeedQualityScore.decimal($0, 1)) },
        "\(value("title")?.string ?? "")")
    }
    return ReportBody { table }
  }
}
