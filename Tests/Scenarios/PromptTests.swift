import Foundation
import Testing

/// What a terminal shows while the tool asks.
@Suite("A question at a terminal") struct PromptTests {
  @Test(
    "a token is not shown", arguments: [["auth", "save-token"], ["cktool", "save-token", "--type", "user"]])
  func notShown(_ words: [String]) async throws {
    try await withScratchFolder { folder in
      let terminal = try Terminal()
      let status = try await terminal.run(Tool(directory: folder), words) { _ in
        try await terminal.waitFor("token: ")
        #expect(!terminal.isEchoing)
        terminal.type("typed-token-8d1\n")
      }
      #expect(status == 0)
      #expect(!terminal.shown.contains("typed-token"), "\(terminal.shown)")
      #expect(terminal.isEchoing)
      let name = words[0] == "auth" ? "management-token" : "user-token"
      let saved = try String(
        contentsOfFile: "\(folder)/.config/celestra-admin/\(name)", encoding: .utf8)
      #expect(saved == "typed-token-8d1")
    }
  }

  @Test("the question of a job names the environment")
  func environment() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let container = ["--container", "local:a.sqlite"]
      #expect(try await tool.run(["schema", "init", "a.ckdb", "--template", "celestra"]).status == 0)
      #expect(try await tool.run(["container", "init", "--schema", "a.ckdb"] + container).status == 0)
      let terminal = try Terminal()
      let words = ["health", "check", "--environment", "production"] + container
      let status = try await terminal.run(tool, words) { _ in
        try await terminal.waitFor("local:a.sqlite (production).")
        terminal.type("\n")
      }
      #expect(status == 1)
    }
  }

  @Test("after a wrong name at the prompt only the error is shown")
  func wrongName() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let container = ["--container", "local:a.sqlite"]
      #expect(try await tool.run(["schema", "init", "a.ckdb", "--template", "celestra"]).status == 0)
      #expect(try await tool.run(["container", "init", "--schema", "a.ckdb"] + container).status == 0)
      let terminal = try Terminal()
      let status = try await terminal.run(tool, ["schema", "promote"] + container) { _ in
        try await terminal.waitFor("Type local:a.sqlite to continue: ")
        terminal.type("container.sqlite\n")
      }
      let shown = terminal.shown
      let end = try #require(shown.range(of: "to continue: ")).upperBound
      #expect(status == 1 && shown[end...].contains("'container.sqlite' is not 'local:a.sqlite'"), "\(shown)")
      #expect(shown[..<end].contains("PublicFeed"), "\(shown)")
      #expect(!shown[end...].contains("PublicFeed"), "\(shown)")
    }
  }

  @Test("before seeds are applied, it is asked for what is deleted, and nothing is written without an answer")
  func deletion() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let extra = #"{"recordType":"FeedCategory","recordName":"extra","fields":{}}"#
      let made = try await tool.shell(
        """
        celestra-admin container init --schema schema/celestra.ckdb -q && celestra-admin seed apply seeds --yes -q
        echo '\(extra)' | celestra-admin records import - -q
        """)
      try #require(made.status == 0, "\(made.err)")
      let terminal = try Terminal()
      let status = try await terminal.run(tool, ["seed", "apply", "seeds", "--prune"]) { _ in
        try await terminal.waitFor("Continue?")
        let other = try await tool.run(["seed", "apply", "seeds", "--yes"])
        #expect(other.status == 6 && other.err.contains("or asks before it does (process "), "\(other)")
        terminal.type("n\n")
      }
      #expect(status == 1 && terminal.shown.contains("Delete 1 record in local:"), "\(terminal.shown)")
      #expect(try await tool.run(["records", "get", "extra"]).status == 0)
    }
  }

  @Test("a restore replaces nothing that was written while it asked")
  func replacement() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      func record(_ name: String) -> String {
        "celestra-admin records create FeedCategory --record-name \(name) --set name=\(name) --yes -q"
      }
      let made = try await tool.shell(
        """
        celestra-admin container init --schema schema/celestra.ckdb -q
        celestra-admin container backup before.sqlite -q && \(record("first"))
        """)
      try #require(made.status == 0, "\(made.err)")
      let terminal = try Terminal()
      let status = try await terminal.run(tool, ["container", "restore", "before.sqlite"]) { _ in
        try await terminal.waitFor("Continue?")
        #expect(try await tool.shell(record("second")).status == 0)
        terminal.type("y\n")
      }
      #expect(
        status == 1 && terminal.shown.contains("changed while the question waited"), "\(terminal.shown)")
      #expect(try await tool.run(["records", "get", "second"]).status == 0)
    }
  }

  @Test("a signal at a question says what the answer n says", arguments: [SIGINT, SIGTERM])
  func stopped(_ signal: Int32) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      #expect(try await tool.run(["container", "init", "--schema", "schema/celestra.ckdb"]).status == 0)
      for (words, question) in [
        (["schema", "promote"], "to continue: "),
        (["health", "check", "--environment", "production"], "to continue: "),
        (["cktool", "save-token", "0123456789abcdef"], "(management or user): "),
      ] {
        let terminal = try Terminal()
        let status = try await terminal.run(tool, words) { process in
          try await terminal.waitFor(question)
          process.send(signal)
        }
        #expect(status == 128 + signal)
        #expect(terminal.shown.contains("Cancelled. Nothing was written."), "\(terminal.shown)")
        #expect(!terminal.shown.contains("error:"), "\(terminal.shown)")
      }
    }
  }

  @Test("a signal ends a command that reads standard input", arguments: [SIGINT, SIGTERM])
  func reading(_ signal: Int32) async throws {
    try await withScratchFolder { folder in
      let status = try await Terminal().run(Tool(directory: folder), ["schema", "lint", "-"]) { process in
        process.send(signal)
      }
      #expect(status == 128 + signal)
    }
  }

  @Test("a signal leaves the terminal as it was", arguments: [SIGINT, SIGTERM, SIGQUIT, SIGHUP])
  func signals(_ signal: Int32) async throws {
    try await withScratchFolder { folder in
      let terminal = try Terminal()
      let status = try await terminal.run(Tool(directory: folder), ["auth", "save-token"]) { process in
        try await terminal.waitFor("token: ")
        #expect(!terminal.isEchoing)
        process.send(signal)
      }
      #expect(status == 128 + signal)
      #expect(terminal.isEchoing)
    }
  }
}
