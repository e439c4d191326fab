import Foundation
import Testing

/// Shells complete the slugs of the seed folder that the person is in.
@Suite("Completion of slugs") struct CompletionTests {
  /// Calls what the completion scripts call, for the last of the words.
  private func complete(
    _ argument: String, after words: [String], in tool: Tool, shell: String = "bash"
  ) async throws -> Tool.Outcome {
    var tool = tool
    tool.environment["SAP_SHELL"] = shell
    let command = words.prefix { !$0.hasPrefix("-") && !$0.contains("/") }.prefix(2)
    return try await tool.run(
      ["---completion"] + command + ["--", argument, "\(words.count)", "0", "celestra-admin"] + words)
  }

  @Test(
    "options complete the slugs of their kind", arguments: ["bash", "zsh", "fish"],
    [
      ("seed export --category", "technology", "the-verge"),
      ("seed export --collection", "best-of-tech", "technology"),
      ("seed add site.example --category", "technology", "the-verge"),
      ("seed add site.example --collection", "morning-news", "news"),
      ("seed import a.opml --category", "science", "aeon"),
      ("seed moves --accept", "the-verge", "technology"),
      ("health check --category", "technology", "the-verge"),
      ("health check --only", "the-verge", "technology"),
      ("articles fetch --only", "the-verge", "technology"), ("articles list --feed", "kottke", "technology"),
      ("articles search word --feed", "kottke", "technology"),
      ("recount --feed", "kottke", "technology"),
    ])
  func options(_ shell: String, _ line: (words: String, offered: String, other: String)) async throws {
    try await withScratchFolder { folder in
      let words = line.words.split(separator: " ").map(String.init)
      let outcome = try await complete(
        words.last ?? "", after: words, in: Tool(directory: folder), shell: shell)
      // For zsh, ArgumentParser adds a line of one space.
      let offered = outcome.out.split(separator: "\n").map(String.init).filter { $0 != " " }
      #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.err)")
      #expect(offered.contains(line.offered) && !offered.contains(line.other), "\(offered)")
      #expect(offered == offered.sorted())
    }
  }

  @Test("a record to update is completed by the slugs of its type, where it has slugs")
  func records() async throws {
    try await withScratchFolder { folder in
      for (type, offered) in [("PublicFeed", "the-verge"), ("FeedCategory", "technology")] {
        let outcome = try await complete(
          "positional@1", after: ["records", "update", type], in: Tool(directory: folder))
        #expect(outcome.out.split(separator: "\n").contains(offered[...]), "\(outcome)")
      }
      // Their record names are digests.
      let outcome = try await complete(
        "positional@1", after: ["records", "update", "FeedCollection"], in: Tool(directory: folder))
      #expect(outcome.status == 0 && outcome.out.split(separator: "\n").isEmpty, "\(outcome)")
    }
  }

  @Test("the folder on the command line counts, then the nearest; without one nothing is offered")
  func folders() async throws {
    try await withScratchFolder { folder in
      let made = try await Tool(directory: folder).shell(
        """
        mkdir -p deep/er empty other/feeds
        echo '{"categories": [{"slug": "weather", "name": "Weather"}]}' > other/categories.json
        """)
      #expect(made.status == 0)
      let words = ["seed", "export", "--category"]
      let deep = try await complete("--category", after: words, in: Tool(directory: "\(folder)/deep/er"))
      #expect(deep.out.contains("technology\n"), "\(deep)")
      let named = try await complete(
        "--category", after: ["seed", "export", "other/", "--category"], in: Tool(directory: folder))
      #expect(named.out == "weather\n", "\(named)")
      let none = try await complete("--category", after: words, in: Tool(directory: "/"))
      #expect(none.status == 0 && none.out.split(separator: "\n").isEmpty && none.err.isEmpty, "\(none)")
    }
  }

  @Test("seeds with mistakes are completed, and what is no slug is not: bash would run it")
  func hostile() async throws {
    try await withScratchFolder { folder in
      let seeds = #"""
        {"category": "technology", "feeds": [
          {"slug": "$(touch ran)", "title": "A", "feedURL": "https://a.example/"},
          {"slug": "`touch ran`", "title": "B"}, {"slug": "\u001b[2Jx"}, {"slug": "two\nlines"}, {"slug": 7},
          {"slug": "sound-feed", "title": "C"}
        ]}
        """#
      try Data(seeds.utf8).write(to: URL(filePath: "\(folder)/seeds/feeds/hostile.json"))
      let tool = Tool(directory: folder)
      let outcome = try await complete("--accept", after: ["seed", "moves", "--accept"], in: tool)
      let offered = outcome.out.split(separator: "\n")
      #expect(offered.contains("sound-feed") && offered.contains("the-verge"), "\(offered)")
      #expect(offered.allSatisfy { $0.wholeMatch(of: /[a-z0-9-]+/) != nil }, "\(offered)")
      _ = try await tool.shell("bash -c '\(Self.bash("seed moves --accept"))'")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran"))
    }
  }

  /// A bash script that prints what bash offers after a command line and a space.
  private static func bash(_ line: String) -> String {
    """
    source <(celestra-admin completion bash)
    COMP_LINE="celestra-admin \(line) "; COMP_POINT=${#COMP_LINE}
    COMP_WORDS=(celestra-admin \(line) ""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    $(complete -p celestra-admin | grep -o -- "-F [^ ]*" | cut -c 4-) celestra-admin "" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf "%s\\n" "${COMPREPLY[@]}"
    """
  }

  @Test("bash offers the slugs")
  func bash() async throws {
    try await withScratchFolder { folder in
      let outcome = try await Tool(directory: folder).shell(
        "bash -c '\(Self.bash("seed export --category"))'")
      let expected = "business design entertainment general health news science technology"
      #expect(outcome.out.split(separator: "\n").joined(separator: " ") == expected, "\(outcome)")
    }
  }

  @Test(
    "whatever has a small set of values is completed",
    arguments: [
      ("schema lint --fail-on", "warning"), ("recount --count-names", "verified"),
      ("recount --profile", "celestra"),
      ("emulator serve --fault", "reset-after"), ("schema generate --language", "swift"),
      ("explain", "readers-move"),
      ("seed add site.example --tag", "paywall"), ("records count PublicFeed --by", "language"),
      ("cktool export-schema --environment", "production"), ("container verify --fail-on", "note"),
    ])
  func values(_ line: String, _ offered: String) async throws {
    try await withScratchFolder { folder in
      let outcome = try await Tool(directory: folder).shell("bash -c '\(Self.bash(line))'")
      #expect(outcome.out.split(separator: "\n").contains(offered[...]), "\(outcome)")
    }
  }

  @Test("'history' completes the ids of all runs, and 'undo' of those that it takes back")
  func runs() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let made = try await tool.shell(
        """
        celestra-admin container init --schema schema/celestra.ckdb && celestra-admin seed apply --yes -q
        celestra-admin container fill --users 3 --yes && celestra-admin recount subscribers
        """)
      #expect(made.status == 0, "\(made.err)")
      for (command, count) in [("undo", 1), ("history", 2)] {
        let outcome = try await complete("positional@0", after: [command], in: tool)
        let ids = outcome.out.split(separator: "\n").filter {
          $0.wholeMatch(of: /[0-9]{8}T[0-9]{6}-[0-9a-f]{6}/) != nil
        }
        // The random part of an id says nothing about the order of two runs of one second.
        let times = ids.map { $0.prefix(15) }
        #expect(Set(ids).count == count && times == times.sorted(by: >), "\(outcome)")
      }
    }
  }

  /// Types into an interactive shell: what prepares it, and a command line with a tab. Prints what the shell then offers.
  private static let terminal = """
    import os, pty, select, sys, time
    setup, shell = sys.argv[1], sys.argv[2:]
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(shell[0], shell)
    seen, end = "", time.monotonic() + 60
    def until(text):
        global seen
        while text not in seen:
            if time.monotonic() > end or not select.select([terminal], [], [], end - time.monotonic())[0]:
                sys.exit("no " + text + " in " + seen)
            seen += os.read(terminal, 65536).decode(errors="replace")
        seen = seen[seen.index(text):]
    os.write(terminal, (setup + "; echo re''ady\\r").encode())
    until("ready\\r")
    os.write(terminal, b"celestra-admin seed moves --accept the-v\\t")
    until("the-verge")
    print("offered")
    """

  @Test(
    "interactive shells offer the slugs",
    arguments: [
      (["/usr/bin/fish", "--no-config", "-i"], "celestra-admin completion fish | source"),
      (
        ["/usr/bin/zsh", "-f", "-i"],
        "celestra-admin completion zsh > _celestra-admin; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D"
      ), (["/bin/bash", "--norc", "-i"], "source <(celestra-admin completion bash)"),
    ].filter { FileManager.default.isExecutableFile(atPath: $0.0[0]) })
  func interactive(_ shell: [String], _ setup: String) async throws {
    try await withScratchFolder { folder in
      try Data(Self.terminal.utf8).write(to: URL(filePath: "\(folder)/type.py"))
      var tool = Tool(directory: folder)
      tool.environment["TERM"] = "xterm"
      let outcome = try await tool.shell(
        "python3 type.py '\(setup)' \(shell.joined(separator: " "))")
      #expect(outcome.status == 0 && outcome.out == "offered\n", "\(outcome)")
    }
  }
}
