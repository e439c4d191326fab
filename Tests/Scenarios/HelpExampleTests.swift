import DemoFeeds
import Foundation
import Testing

/// Every example of the help runs and succeeds, in a git clone with the bundled schemas and seeds and with a container that
/// holds them. The feeds' addresses lead to loopback.
@Suite("Examples in the help") struct HelpExampleTests {
  @Test("every example does what its reader expects")
  func examples() async throws {
    let examples = try await HelpExample.all()
    #expect(examples.count > 90)
    let lines = Set(examples.map(\.line))
    #expect(ExampleRun.all.keys.filter { !lines.contains($0) } == [], "no help has these examples any more")
    #expect(ExampleRun.parsedOnly.keys.filter { !lines.contains($0) } == [])
    try await withPreparedFolder { folder, site in
      // Two processors, and each example waits for processes.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for part in 0..<4 {
          group.addTask {
            for (number, example) in examples.enumerated() where number % 4 == part {
              try await check(example, "\(folder)/\(number)", template: "\(folder)/template", site: site)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  private func check(_ example: HelpExample, _ folder: String, template: String, site: String) async throws {
    if ExampleRun.parsedOnly[example.line] != nil {
      // With --help, a command parses its arguments and does nothing else.
      let outcome = try await Tool(directory: template).shell("\(example.line) --help")
      #expect(outcome.status == 0 && outcome.out.contains("USAGE: "), "\(example.line)\n\(outcome.err)")
      return
    }
    let run = ExampleRun.all[example.line] ?? ExampleRun()
    try FileManager.default.copyItem(atPath: template, toPath: folder)
    let script = run.script(example).replacing("SITE", with: site)
    try Data(script.utf8).write(to: URL(filePath: "\(folder)/example.sh"))
    let outcome = try await Tool(directory: folder).shell(run.command("example.sh"))
    #expect(outcome.status == 0, "\(example.line)\n\(outcome.out)\(outcome.err)")
    #expect(!outcome.err.contains("warning:"), "\(example.line)\n\(outcome.err)")
  }

  /// A folder with `template`, the state that each example finds, and the host of a web site on loopback.
  private func withPreparedFolder(_ body: (_ folder: String, _ site: String) async throws -> Void)
    async throws
  {
    let moved = ["six-colors", "daring-fireball"].map { DemoFeed(slug: $0, behavior: .movedPermanently) }
    let page = DemoFeed(slug: "site", title: "Weather Notes", behavior: .htmlPage)
    let server = try await DemoFeedServer.start(
      table: DemoFeedTable(moved + [page]), now: Int64(Date.now.timeIntervalSince1970))
    do {
      try await withScratchFolder { folder in
        let template = "\(folder)/template"
        try FileManager.default.createDirectory(atPath: template, withIntermediateDirectories: true)
        for name in ["schema", "seeds"] {
          try FileManager.default.moveItem(atPath: "\(folder)/\(name)", toPath: "\(template)/\(name)")
        }
        try lead("\(template)/seeds/feeds", to: server)
        let made = try await Tool(directory: template).shell(Self.preparation)
        try #require(made.status == 0, "\(made.err)")
        try await body(folder, "site.localhost:\(server.port)")
      }
      try await server.stop()
    } catch {
      try await server.stop()
      throw error
    }
  }

  /// Gives each feed of the seeds its address on the server.
  private func lead(_ feeds: String, to server: DemoFeedServer) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: feeds) {
      let file = URL(filePath: "\(feeds)/\(name)")
      var slug = ""
      let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").map { line in
        if let match = line.firstMatch(of: /"slug": "([^"]+)"/) { slug = String(match.1) }
        return line.replacing(/"feedURL": "[^"]+"/, with: "\"feedURL\": \"\(server.url(of: slug))\"")
      }
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
    }
  }

  private static let preparation = """
    set -e
    celestra-admin schema init schema/app.ckdb -q
    printf '.celestra\\n' > .gitignore
    echo 'DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE, GRANT READ, CREATE, WRITE TO "_icloud");' > notes.ckdb
    git init -q -b main . && git add .
    git -c user.name=Editor -c user.email=editor@example.com commit -q -m Start
    git tag v1.2 && git update-ref refs/remotes/origin/main HEAD
    celestra-admin container init --schema schema/celestra.ckdb -q
    celestra-admin seed apply --yes -q
    celestra-admin container fill --users 50 -q
    """
}
