internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import DemoFeeds
internal import Diagnostics
internal import FoundationEssentials
internal import Synchronization

struct DemoCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run the main jobs on a scratch container: schema, seeds, health, recounts.",
    discussion: """
      Every step is a real command, printed as you would type it. The feeds are served on loopback by this process and \
      behave as feeds on the web do: some moved, some are gone, some are broken, one is slow. Of long output the first \
      lines are printed.

      The schema and the seeds are part of this binary, so that the demo runs in any folder.

      Example: celestra-admin demo --directory /tmp/demo
      """)

  @Option(
    "The demo's folder: a new or empty one, or that of an earlier demo. Default: a temporary folder.",
    value: "dir", completion: .directory)
  var directory: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<DemoCommand>

  func validate() throws {
    if common.container != nil || common.environment != nil {
      throw ValidationError("the demo uses its own container; leave out --container and --environment")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let stage = try DemoWorkspace(directory: directory, process: context.process)
    defer { stage.leave() }
    let seeds = try DemoSeeds()
    // Who keeps the folder looks at it today.
    let now = stage.isTemporary ? DemoSteps.usualTime : context.now
    let server = try await DemoFeedServer.start(
      table: DemoFeedTable(slugs: seeds.slugs), now: now.milliseconds / 1000, port: DemoFeedServer.demoPort)
    do {
      try DemoWorkspace.naming(stage.folder) { try seeds.write(to: stage.folder, url: server.url) }
      try await DemoSteps(stage: stage, color: common.color, now: now).run()
      try await server.stop()
      return PlainReport()
    } catch {
      try await server.stop()
      throw error
    }
  }
}

struct DemoWorkspace {
  let folder: String
  let isTemporary: Bool
  private let home: String
  let process: ProcessContext

  init(directory: String?, process: ProcessContext) throws {
    self.process = process
    home = FileManager.default.currentDirectoryPath
    isTemporary = directory == nil
    let chosen =
      directory ?? FileManager.default.temporaryDirectory.appending(path: "celestra-demo-\(UUID())").path
    folder = try DemoWorkspace.naming(chosen) { try DemoWorkspace.prepare(chosen) }
  }

  /// Prepares the folder and changes the working directory to it. Returns its absolute path.
  private static func prepare(_ chosen: String) throws -> String {
    let files = FileManager.default
    try files.createDirectory(atPath: chosen, withIntermediateDirectories: true)
    try claim(chosen)
    guard files.changeCurrentDirectoryPath(chosen) else {
      throw CommandFailure("cannot enter \(chosen)", code: "unreadable-file")
    }
    let folder = files.currentDirectoryPath
    for name in ["celestra.ckdb", "seeds", ".celestra"] {
      // Removes a link itself, also one that leads nowhere.
      do { try files.removeItem(atPath: "\(folder)/\(name)") } catch let error as CocoaError
        where error.code == .fileNoSuchFile
      {}
    }
    try Data(BundledSchema.all[0].text.utf8).write(to: URL(filePath: "\(folder)/celestra.ckdb"))
    try Data(settings.utf8).write(to: URL(filePath: "\(folder)/celestra-admin.json"))
    return folder
  }

  /// The project file of the folder. Raises the limit for slow feeds, because loopback feeds are only slow on a
  /// busy machine, and keeps the settings of other projects from applying.
  private static let settings = #"{"health": {"slowAnswer": "60s"}}"# + "\n"

  /// Runs code that reads and writes the demo's folder, and adds the folder to system errors.
  static func naming<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as CommandFailure { throw failure } catch {
      throw CommandFailure(
        "the demo cannot use the folder \(folder): \(CommandFailure(error).message)",
        code: "unwritable-folder",
        hint: "With --directory give a folder that may be written to, on a disk with some space.")
    }
  }

  /// Throws if the folder has files that are not from a demo, because the demo replaces the folder's content.
  private static func claim(_ folder: String) throws {
    let mark = "\(folder)/.celestra-demo"
    guard !FileManager.default.fileExists(atPath: mark) else { return }
    guard try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty else {
      throw CommandFailure.usage(
        "\(folder) holds other files, which the demo would replace", hint: "Give a new or an empty folder.")
    }
    try Data().write(to: URL(filePath: mark))
  }

  /// Restores the working directory and removes a temporary folder.
  func leave() {
    _ = FileManager.default.changeCurrentDirectoryPath(home)
    // Ignore errors: the system cleans up its temporary folder.
    if isTemporary { try? FileManager.default.removeItem(atPath: folder) }
  }
}

struct DemoSteps {
  /// The time of a demo in a temporary folder, so that its output is always the same.
  static let usualTime = Timestamp(milliseconds: 1_767_261_600_000)

  private let stage: DemoWorkspace
  private let style: TerminalStyle
  private let now: Timestamp

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
      "The most read feeds.",
      "records query PublicFeed --sort subscriberCount:desc --limit 8 --fields subscriberCount,qualityScore,title --format table"
    )
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

  private func step(_ purpose: String?, _ line: String, lines: Int = 30) async throws {
    if let purpose {
      try say("")
      try say("\(purpose)")
    }
    try say("\("$", .dim) \("celestra-admin \(line)", .address)")
    let words = line.split(separator: " ").map(String.init)
    let all = try await run(words).split(separator: "\n")
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
    guard let command = try AdminTool.parseAsRoot(words) as? any AsyncParsableCommand else { return "" }
    do {
      try await ProcessContext.$current.withValue(process) {
        var command = command
        try await command.run()
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
}

/// The bundled seeds with their feed URLs replaced by loopback URLs. Record names stay the same.
struct DemoSeeds {
  private let catalog: SeedCatalog

  init() throws {
    catalog = try SeedLoader(files: BundledSeeds.files, named: "the bundled seeds").load().usableCatalog()
  }

  var slugs: [String] { catalog.feeds.map(\.slug) }

  /// Writes the seeds to `folder/seeds`; `url` returns the URL for a feed's slug.
  func write(to folder: String, url: (String) -> String) throws {
    let names = Dictionary(
      uniqueKeysWithValues: catalog.feeds.map { ($0.slug, CatalogRecordNames.feed(url: $0.feedURL)) })
    for (path, bytes) in BundledSeeds.files {
      let file = URL(filePath: "\(folder)/seeds/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      var document = try JSONValue(parsing: bytes).object ?? [:]
      if let feeds = document["feeds"]?.array, path.hasPrefix("feeds/") {
        document["feeds"] = .array(feeds.map { moved($0, names, url) })
      }
      try Data(JSONValue.object(document).bytes(.pretty)).write(to: file)
    }
  }

  private func moved(_ feed: JSONValue, _ names: [String: String], _ url: (String) -> String) -> JSONValue {
    guard case .object(var object) = feed, let slug = feed["slug"]?.string else { return feed }
    object["recordName"] = object["recordName"] ?? names[slug]?.json
    object["feedURL"] = url(slug).json
    return .object(object)
  }
}

/// The project's seeds, embedded in the binary from the files of `seeds/` (through the links in `Resources/seeds`).
enum BundledSeeds {
  /// By their paths below a seed folder.
  static let files: [String: [UInt8]] = [
    "categories.json": PackageResources.categories_json,
    "collections/apple-developer.json": PackageResources.apple_developer_json,
    "collections/best-of-tech.json": PackageResources.best_of_tech_json,
    "collections/design-inspiration.json": PackageResources.design_inspiration_json,
    "collections/morning-news.json": PackageResources.morning_news_json,
    "collections/wonders-of-science.json": PackageResources.wonders_of_science_json,
    "feeds/business.json": PackageResources.business_json,
    "feeds/design.json": PackageResources.design_json,
    "feeds/entertainment.json": PackageResources.entertainment_json,
    "feeds/general.json": PackageResources.general_json,
    "feeds/health.json": PackageResources.health_json,
    "feeds/news.json": PackageResources.news_json,
    "feeds/science.json": PackageResources.science_json,
    "feeds/technology.json": PackageResources.technology_json,
  ]

  /// The JSON Schemas that these name, by their paths.
  static let schemas: [String: [UInt8]] = [
    "schemas/aggregates.schema.json": PackageResources.aggregates_schema_json,
    "schemas/categories.schema.json": PackageResources.categories_schema_json,
    "schemas/collection.schema.json": PackageResources.collection_schema_json,
    "schemas/feeds.schema.json": PackageResources.feeds_schema_json,
    "schemas/moderation.schema.json": PackageResources.moderation_schema_json,
  ]
}
