import DemoFeeds
import Foundation
import Testing

/// The guide for a database of celestra-cloud, step by step, for both versions of that program's schema, on a local
/// container and through client and emulator. The sessions are those of ``Guide``; in comments, a line that begins with
/// `celestra-cloud` is what that program or a feed does meanwhile.
@Suite struct CloudTakeoverTests {
  @Test(
    "what the guide shows is what one sees", arguments: CloudVersion.allCases,
    EditorsGuideTests.Place.allCases)
  func takeover(_ version: CloudVersion, _ place: EditorsGuideTests.Place) async throws {
    let page = try String(
      contentsOf: projectRoot.appending(path: "Documentation/CelestraCloud.md"), encoding: .utf8)
    let steps = Guide.steps(of: page)
    #expect(steps.count { !$0.isHidden } >= 10)
    try await withCloudDatabase(version, place) { tool, program in
      for step in steps { try await play(step, tool, program) }
      try await check(program)
    }
  }

  /// Nothing was stored twice, and nothing of that program's was overwritten.
  private func check(_ program: CloudProgram) async throws {
    let articles = try await program.query("Article")
    let identities = articles.map { "\($0.fields["feedRecordName"] ?? "") \($0.fields["guid"] ?? "")" }
    #expect(Set(identities).count == articles.count && !articles.isEmpty)
    let feeds = try await program.query("Feed")
    #expect(Set(feeds.compactMap { $0.fields["feedURL"] as? String }).count == feeds.count)
    for feed in feeds {
      #expect(feed.fields["qualityScore"] as? Int == 50 && feed.fields["failureCount"] as? Int == 0)
      #expect((feed.fields["isActive"] as? Int == 1) == (program.version == .may2026))
    }
    // Every item of every feed is there, whichever program saw it first.
    for feed in program.feeds {
      let name = feeds.first { ($0.fields["feedURL"] as? String)?.contains("\(feed.slug).") ?? false }?.name
      let stored = articles.filter { $0.fields["feedRecordName"] as? String == name }
        .compactMap { $0.fields["guid"] as? String }
      #expect(Set(stored) == Set(feed.items), "\(feed.slug)")
    }
  }

  private func play(_ step: Guide.Step, _ tool: Tool, _ program: CloudProgram) async throws {
    let place = "Documentation/CelestraCloud.md:\(step.line): \(step.command)"
    var line = step.command
    if step.isHidden {
      let lines = step.command.split(separator: "\n").map(String.init)
      if lines.first?.hasPrefix("celestra-cloud ") == true {
        for line in lines { try await program.perform(line) }
        return
      }
    }
    for feed in program.feeds {
      line.replace("\(feed.slug).example", with: "\(feed.slug).localhost:\(program.port)")
    }
    if line.contains("articles fetch") || line.contains("health check") {
      line += " --allow-private-addresses"
    }
    let outcome = try await tool.shell("{ \(line)\n} 2>&1")
    let seen = outcome.out.replacing(".localhost:\(program.port)", with: ".example")
      .replacing(/cloudkit:[A-Za-z0-9.-]+/, with: "local:.celestra/container.sqlite")
    if step.isHidden {
      #expect(outcome.status == 0 && seen.isEmpty, "\(place)\n\(seen)")
    } else {
      #expect(
        Guide.matches(seen, step.expected), "\(place)\nprinted\n\(seen)\ninstead of\n\(step.expected)")
    }
  }
}

extension CloudProgram {
  /// `celestra-cloud add alpha`, `celestra-cloud update`; `celestra-cloud publish alpha a3` is what a feed does.
  fileprivate func perform(_ line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let feed = words.count > 2 ? feeds.first { $0.slug == words[2] } : nil
    switch (words[1], feed) {
    case ("update", _): try await update()
    case ("add", let feed?): try await add(feed)
    case ("publish", let feed?): feed.add(words[3])
    default: throw CocoaError(.featureUnsupported)
    }
  }
}

/// Runs `body` with an empty database of celestra-cloud, and feeds `alpha`, `beta`, `gamma` and `delta`.
func withCloudDatabase(
  _ version: CloudVersion, _ place: EditorsGuideTests.Place, _ body: (Tool, CloudProgram) async throws -> Void
) async throws {
  let feeds = ["alpha", "beta", "gamma", "delta"].map { ChangingFeed($0, ["\($0)-2", "\($0)-1"]) }
  let server = try await DemoFeedServer.start(
    table: DemoFeedTable(feeds.map(\.feed)), now: Guide.now)
  do {
    try await withScratchFolder { folder in
      try version.schema.write(toFile: "\(folder)/cloud.ckdb", atomically: true, encoding: .utf8)
      let file = ".celestra/container.sqlite"
      try FileManager.default.createDirectory(
        atPath: "\(folder)/.celestra", withIntermediateDirectories: true)
      let tool = Tool(in: folder, clock: Guide.clock).on(file: file)
      try await tool.succeed("container", "init", "--schema", "cloud.ckdb", "-q")
      func run(_ tool: Tool) async throws {
        try await body(tool, CloudProgram(tool: tool, version: version, feeds: feeds, port: server.port))
      }
      switch place {
      case .file: try await run(tool)
      case .emulator:
        _ = try await withEmulator(
          for: Tool(in: folder, clock: Guide.clock), file: file, schema: "cloud.ckdb"
        ) {
          var served = $0
          served.environment["CELESTRA_ADMIN_RECORDS_SETTLE"] = "0s"
          try await run(served)
        }
      }
    }
    try await server.stop()
  } catch {
    try await server.stop()
    throw error
  }
}
