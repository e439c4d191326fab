import DemoFeeds
import Foundation
import HostileFeeds
import Testing

/// Seed files that somebody else edits while a command runs: nothing is lost, and no file is half-written.
@Suite("Two editors at once") struct EditingAtOnceTests {
  private func withSeeds(_ body: (Tool, URL) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      try await body(Tool(directory: folder), URL(filePath: "\(folder)/seeds/feeds/science.json"))
    }
  }

  /// All files below the seeds, by path.
  private func files(_ tool: Tool) throws -> [String: Data] {
    let root = "\(tool.directory)/seeds"
    return try FileManager.default.subpathsOfDirectory(atPath: root).reduce(into: [:]) { files, path in
      files[path] = FileManager.default.contents(atPath: "\(root)/\(path)")
    }
  }

  private func opml(_ number: Int) -> String {
    "<opml version=\"2.0\"><body><outline text=\"At once \(number)\" xmlUrl=\"https://at-once-\(number).example/\"/></body></opml>"
  }

  @Test("of imports at the same time each is complete, or says that it wrote nothing")
  func imports() async throws {
    try await withSeeds { tool, file in
      let names = Set(try files(tool).keys)
      let outcomes = try await withThrowingTaskGroup(of: (Int, Tool.Outcome).self) { group in
        for number in 10..<18 {
          let text = opml(number)
          group.addTask {
            (number, try await tool.run(["seed", "import", "-", "--category", "science"], stdin: text))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let text = try String(contentsOf: file, encoding: .utf8)
      for (number, outcome) in outcomes {
        #expect(text.contains("at-once-\(number)") == (outcome.status == 0), "\(outcome.err)")
        guard outcome.status != 0 else { continue }
        let isLocked = outcome.err.contains("another command is writing")
        #expect(outcome.status == (isLocked ? 6 : 1), "\(outcome.err)")
        #expect(outcome.err.contains("nothing was written"), "\(outcome.err)")
        #expect(outcome.err.contains("Run the command again."), "\(outcome.err)")
      }
      #expect(outcomes.contains { $0.1.status == 0 })
      #expect(Set(try files(tool).keys) == names)
      #expect(try await tool.run(["seed", "validate"]).status == 0)
    }
  }

  @Test("while another command writes to the folder, nothing is written")
  func locked() async throws {
    try await withSeeds { tool, _ in
      let before = try files(tool)
      let folder = open("\(tool.directory)/seeds", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(folder) }
      try #require(flock(folder, LOCK_EX | LOCK_NB) == 0)
      let outcome = try await tool.run(["seed", "import", "-", "--category", "science"], stdin: opml(1))
      #expect(outcome.status == 6)
      #expect(
        outcome.err
          == "error: another command is writing to seeds; nothing was written\nhint: Run the command again.\n"
      )
      #expect(try files(tool) == before)
    }
  }

  @Test("a file that is edited while a feed is looked for keeps the edit, and gets no entry")
  func editedMeanwhile() async throws {
    try await withSeeds { tool, file in
      let server = try await DemoFeedServer.start(now: 1_795_000_000)
      let edited = try String(contentsOf: file, encoding: .utf8).replacing("\"NASA\"", with: "\"N.A.S.A.\"")
      let listener = try Listener(answering: [
        "HTTP/1.1 302 Found", "Location: \(server.url(of: .rss20))",
      ]) { try? Data(edited.utf8).write(to: file) }
      let add = ["seed", "add", listener.url, "--category", "science", "--allow-private-addresses"]
      let outcome = try await tool.run(add)
      try await server.stop()
      #expect(
        outcome.status == 1
          && outcome.err.contains(
            "seeds/feeds/science.json changed while the command ran; nothing was written"),
        "\(outcome.err)")
      #expect(try String(contentsOf: file, encoding: .utf8) == edited)
    }
  }

  @Test("what is committed while 'seed apply' asks is neither applied nor remembered as applied")
  func committedMeanwhile() async throws {
    try await withSeeds { tool, file in
      let git = """
        set -e; printf '.celestra/\n' > .gitignore; git init -q .; git config user.email a@b.example
        git config user.name A; git add .; git commit -qm first; git rev-parse HEAD
        celestra-admin container init --schema schema/celestra.ckdb -q
        """
      let made = try await tool.shell(git)
      try #require(made.status == 0, "\(made.err)")
      let terminal = try Terminal()
      let status = try await terminal.run(tool, ["seed", "apply"]) { _ in
        try await terminal.waitFor("\(ProjectSeeds.records) records")
        let commit = try await tool.shell(
          "sed -i 's/\"NASA\"/\"N.A.S.A.\"/' \(file.path) && git commit -qam second")
        #expect(commit.status == 0, "\(commit.err)")
        terminal.type("y\n")
      }
      #expect(status == 0, "\(terminal.shown)")
      // The files are ahead of the container, so there is nothing to pull.
      let drift = try await tool.run(["seed", "pull", "--dry-run", "--format", "json"])
      #expect(drift.out.contains("\"base\": \"\(made.out.prefix(40))\""), "\(drift.out)")
      #expect(drift.out.contains("\"pending\": 1"), "\(drift.out)")
    }
  }
}
