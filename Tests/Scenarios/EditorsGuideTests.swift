import DemoFeeds
import Foundation
import Testing

/// The guide for editors is a week of sessions. They run in the order of the page, in one folder under git, on a local
/// container and again through client and emulator, and must print what the page shows.
///
/// - A fenced block with lines that begin with `$` is a session. The other lines are what the command before them prints.
///   `…` stands for any text within a line, and a line of its own for any lines.
/// - A comment that begins with `<!-- run` holds what the page describes in words, such as an edit of a file.
/// - `weather.example` is a site on loopback. Ids of runs differ each time.
@Suite struct EditorsGuideTests {
  enum Place: String, CaseIterable { case file, emulator }

  @Test("what the guide for editors shows is what one sees", arguments: Place.allCases)
  func week(_ place: Place) async throws {
    let page = try String(
      contentsOf: projectRoot.appending(path: "Documentation/Editors.md"), encoding: .utf8)
    let steps = Guide.steps(of: page)
    #expect(steps.count { !$0.isHidden } >= 20)
    let site = DemoFeedTable([DemoFeed(slug: "weather", title: "Weather Notes", behavior: .htmlPage)])
    let feeds = try await DemoFeedServer.start(table: site, now: Guide.now)
    do {
      try await withScratchFolder { folder in
        let tool = Tool(in: folder, clock: Guide.clock)
        switch place {
        case .file: try await play(steps, with: tool, feeds: feeds.port)
        case .emulator:
          // The first step of the page makes the file; here the emulator serves it from the start.
          _ = try await tool.makeContainer(".celestra/container.sqlite")
          _ = try await withEmulator(
            for: tool, file: ".celestra/container.sqlite", options: ["--clock", Guide.clock]
          ) { served in
            // Its index has no lag, like that of the file.
            var served = served
            served.environment["CELESTRA_ADMIN_RECORDS_SETTLE"] = "0s"
            try await play(
              steps.filter { !$0.command.contains("container init") }, with: served, feeds: feeds.port)
          }
        }
      }
    } catch {
      try await feeds.stop()
      throw error
    }
    try await feeds.stop()
  }

  private func play(_ steps: [Guide.Step], with tool: Tool, feeds port: Int) async throws {
    let site = "weather.localhost:\(port)"
    for step in steps {
      var line = step.command.replacing("weather.example", with: site)
      if line != step.command { line += " --allow-private-addresses" }
      let outcome = try await tool.shell("{ \(line)\n} 2>&1")
      let seen = Guide.withoutProgress(outcome.out).replacing(site, with: "weather.example")
        .replacing(/cloudkit:[A-Za-z0-9.-]+/, with: "local:.celestra/container.sqlite")
      let place = "Documentation/Editors.md:\(step.line): \(step.command)"
      if step.isHidden {
        #expect(outcome.status == 0 && seen.isEmpty, "\(place)\n\(seen)")
      } else {
        #expect(
          Guide.matches(seen, step.expected), "\(place)\nprinted\n\(seen)\ninstead of\n\(step.expected)")
      }
    }
  }
}
