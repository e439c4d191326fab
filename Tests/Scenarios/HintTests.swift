import Foundation
import Testing

/// A command that the tool prints works when it is pasted, in the container of the command that printed it.
@Suite("Printed commands") struct HintTests {
  private static let container = "'local:data folder/mine.sqlite'"

  @Test("each printed command works as it is")
  func pasted() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      /// Runs a line, then what it prints, and what that prints.
      func follow(_ line: String, statuses: [Int32] = [0, 2], depth: Int = 3) async throws {
        let outcome = try await tool.shell(line)
        #expect(statuses.contains(outcome.status), "\(line)\n\(outcome.out)\(outcome.err)")
        for command in Self.commands(in: outcome.out + outcome.err) {
          #expect(command.contains("--container \(Self.container)"), "\(line) prints \(command)")
          // Nobody answers a question here.
          let answer = command.contains("schema promote") ? " --yes" : ""
          if depth > 0 { try await follow(command + answer, depth: depth - 1) }
        }
      }
      func line(_ words: String) -> String { "celestra-admin \(words) --container \(Self.container)" }

      let before = try await tool.shell(
        """
        mkdir 'data folder' && mv seeds catalog
        \(line("container init --schema schema/celestra.ckdb -q"))
        \(line("seed apply catalog --yes -q"))
        sed 's/^\\( *\\)isVerified .*/&\\n\\1extra STRING,/' schema/celestra.ckdb > changed.ckdb
        sed -i 's/"Six Colors"/"Six"/' catalog/feeds/technology.json
        """)
      try #require(before.status == 0, "\(before.err)")
      try await follow(line("seed plan catalog --output plan.json"))
      try await follow(line("seed moves catalog"))
      try await follow(line("undo --yes"), statuses: [1], depth: 0)
      try await follow(line("schema plan changed.ckdb --output schema-plan.json"))
      try await follow(line("schema plan changed.ckdb --environment production"))
      let run = try await tool.shell(
        "celestra-admin history --all --format json --container \(Self.container) | sed -n 's/.*\"id\": \"\\(.*\\)\".*/\\1/p'"
      )
      let other = "'local:data folder/other.sqlite'"
      let first = try #require(run.out.split(separator: "\n").last)
      let refused = try await tool.shell(
        """
        celestra-admin container init --schema schema/celestra.ckdb -q --container \(other)
        celestra-admin undo \(first) --container \(other)
        """)
      #expect(
        Self.commands(in: refused.err) == [
          "celestra-admin undo \(first) --container 'local:data folder/mine.sqlite' --environment development"
        ], "\(refused.err)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/.celestra/container.sqlite"))
    }
  }

  @Test("emulator exec prints no undo, because its container ends with it")
  func exec() async throws {
    try await withScratchFolder { folder in
      let outcome = try await Tool(directory: folder).shell(
        "celestra-admin emulator exec --schema schema/celestra.ckdb -- celestra-admin seed apply seeds --yes")
      #expect(outcome.status == 0 && Self.commands(in: outcome.out + outcome.err) == [], "\(outcome.err)")
    }
  }

  /// The commands in an output: each ends with its line, or where the text around it goes on.
  private static func commands(in text: String) -> [String] {
    text.split(separator: "\n").flatMap { line in
      line.matches(of: /celestra-admin ((?:'[^']*'|[^';])*)/).map {
        "celestra-admin \($0.1)".trimmingCharacters(in: .whitespaces)
      }
    }
  }
}
