import Foundation
import Testing

/// Text from outside never becomes a line, a code of a terminal or a command of GitHub's runner, wherever it stands.
@Suite struct HostileTextTests {
  /// Clears a screen, writes a clipboard, ends the line, is a command in both of the runner's forms, and turns text.
  private static let text =
    "x\u{1B}[2J\u{1B}]52;c;aGk=\u{7}\n::error::a\r\n::stop-commands::b ##[error]c \u{85}\u{9B}2J\u{2028}\u{202E}d\u{200F}\u{61C}"
  /// The same as part of a JSON string.
  private static let json = String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    .dropFirst().dropLast()

  @Test("keys and values of settings files", arguments: ["celestra-admin.json", ".env"])
  func settings(_ file: String) async throws {
    let content =
      file == ".env"
      ? "CELESTRA_ADMIN_CONTACT=\"x\u{1B}[2J\u{202E}\\n::error::a\"\nCLOUDKIT_TEAM_ID='\u{1B}]52;c;aGk=\u{7}'\n"
      : #"{"contact": "\#(Self.json)", "\#(Self.json)": 1, "cloudkit": {"teamID": "::error::b", "\#(Self.json)": true}}"#
    try await withScratchFolder { folder in
      try write(content, folder, file)
      let tool = Tool(directory: folder)
      // Every command warns of unknown keys of the project file; values are not shown.
      let warns = file != ".env"
      try await expectHarmless(tool, ["config", "show", "--origin"], shows: warns)
      try await expectHarmless(tool, ["config", "show", "--format", "json"], shows: warns)
      for words in [
        ["schema", "validate", "schema/celestra.ckdb"], ["seed", "validate", "seeds"], ["auth", "status"],
      ] {
        try await expectHarmless(tool, words, shows: warns)
      }
    }
  }

  @Test("values of settings that are refused")
  func refusedSettings() async throws {
    try await withContainer { tool in
      // Only a path is repeated.
      for (key, words, shows) in [
        ("container", ["records", "count", "PublicFeed"], false),
        ("clock", ["records", "count", "PublicFeed"], false),
        ("aggregates", ["recount", "subscribers", "--format", "json"], true),
      ] {
        try write(#"{"\#(key)": "\#(Self.json)"}"#, tool.directory, "celestra-admin.json")
        try await expectHarmless(tool, words, shows: shows)
      }
      try write(#"{"cloudkit": {"environment": "\#(Self.json)"}}"#, tool.directory, "celestra-admin.json")
      try await expectHarmless(tool, ["schema", "plan", "schema/celestra.ckdb"], shows: false)
    }
  }

  @Test("names of files, and keys and values in them")
  func files() async throws {
    try await withContainer { tool in
      let folder = tool.directory
      let name = Self.text.replacing("/", with: "")
      try write(
        #"{"feeds": [{"slug": "\#(Self.json)", "\#(Self.json)": 1, "title": 2}]}"#, folder,
        "seeds/feeds/\(name).json")
      try write("[\(Self.text)", folder, "seeds/collections/\(name).json")
      try write(
        "DEFINE SCHEMA RECORD TYPE \(Self.text) (\n \"\(Self.text)\" STRNG, -- \(Self.text)\n", folder,
        "\(name).ckdb")
      try write(
        "<rss><channel><title>\(Self.text)</title><item><title>::error::a</title></channel>", folder,
        "\(name).xml")
      try write(
        #"{"queries": [{"recordType": "\#(Self.json)", "\#(Self.json)": []}]}"#, folder, "queries.json")
      try write(
        #"{"aggregates": [{"name": "\#(Self.json)", "\#(Self.json)": 1}]}"#, folder, "aggregates.json")
      for format in ["text", "json", "github", "junit", "sarif"] {
        try await expectHarmless(tool, ["seed", "validate", "seeds", "--format", format])
        // In SARIF a file's name is a URI.
        try await expectHarmless(
          tool, ["schema", "validate", "\(name).ckdb", "--format", format], shows: format != "sarif")
        try await expectHarmless(
          tool, ["schema", "lint", "schema/celestra.ckdb", "--queries", "queries.json", "--format", format])
      }
      for format in ["text", "json", "jsonl"] {
        try await expectHarmless(tool, ["feed", "inspect", "\(name).xml", "--format", format])
      }
      try await expectHarmless(tool, ["schema", "inspect", "\(name).ckdb"])
      try await expectHarmless(tool, ["schema", "format", "\(name).ckdb", "--check"])
      try await expectHarmless(tool, ["seed", "plan", "seeds"])
      try await expectHarmless(tool, ["records", "import", "\(name).ckdb"])
      try await expectHarmless(tool, ["recount", "subscribers"])
    }
  }

  @Test("a comment of a schema on a terminal")
  func terminal() async throws {
    try await withScratchFolder { folder in
      let comment = Self.text.replacing("\r\n", with: "\n")
      try write(
        "DEFINE SCHEMA\n/* \(comment) */\nRECORD TYPE Note (\n  title STRING\n);\n", folder, "a.ckdb")
      for words in [
        ["a.ckdb"], ["a.ckdb", "--output", "-"], ["a.ckdb", "--output", "/dev/stdout"], ["a.ckdb", "--diff"],
      ] {
        let shown = try await Terminal().output(
          of: Tool(directory: folder, environment: ["NO_COLOR": "1"]), ["schema", "format"] + words)
        expectHarmless(shown.replacing("\r\n", with: "\n"), "\(words)")
        #expect(shown.contains("[2J"), "\(words)")
      }
    }
  }

  @Test("words of the command line")
  func words() async throws {
    try await withContainer { tool in
      for words in [
        [Self.text], ["schema", Self.text], ["schema", "validate", "a", "--\(Self.text)"],
        ["seed", "plan", "seeds", "--environment", Self.text],
        ["records", "count", "--container", Self.text, "A"],
        ["records", "query", "PublicFeed", "--sort", Self.text], ["records", "get", Self.text],
        ["schema", "validate", Self.text],
        ["schema", "lint", "--fail-on", Self.text, "schema/celestra.ckdb"],
        ["seed", "apply", "--plan", Self.text], ["health", "check", "--budget", Self.text],
      ] { try await expectHarmless(tool, words) }
    }
  }

  @Test("values of records, and of seeds beside them")
  func records() async throws {
    try await withContainer { tool in
      try await importRecords(tool)
      for words in [
        ["records", "query", "PublicFeed"], ["records", "query", "FeedSubscription", "--format", "jsonl"],
        ["records", "get", "feed-1", "none\n::error::a"],
        ["records", "count", "PublicFeed", "--by", "title"],
        ["records", "count", "PublicFeed", "--by", "title", "--format", "json"], ["records", "export"],
        ["recount", "quality", "--explain", "--dry-run"],
      ] { try await expectHarmless(tool, words) }
      for format in ["text", "json", "github", "junit", "sarif"] {
        try await expectHarmless(tool, ["container", "verify", "--format", format])
      }
      for format in ["text", "json", "markdown"] {
        try await expectHarmless(tool, ["seed", "plan", "seeds", "--prune", "--format", format])
      }
      for format in ["text", "json", "jsonl", "markdown"] {
        try await expectHarmless(tool, ["health", "check", "--dry-run", "--force", "--format", format])
      }
    }
  }

  @Test("what a service answers, and what a log says of what is asked", arguments: ["text", "json"])
  func service(_ logFormat: String) async throws {
    try await withScratchFolder { folder in
      let body = #"{"serverErrorCode": "\#(Self.json.replacing(",", with: ""))"}"#
      let faults = ["records/lookup", "users/caller", "records/modify"].flatMap {
        ["--fault", "status,endpoint=\($0),status=400,body=\(body)"]
      }
      let options = faults + ["-v", "--log-format", logFormat]
      let log = try await withEmulator(
        for: Tool(directory: folder), file: "served.sqlite", options: options
      ) { tool in
        for words in [
          ["auth", "check", "-v", "--log-format", logFormat], ["records", "get", "a", "-v"],
          ["records", "query", Self.text, "-v", "--log-format", logFormat], ["records", "count", Self.text],
          ["records", "query", "PublicFeed", "--sort", "\(Self.text):desc", "--format", "json"],
          ["seed", "apply", "seeds", "--format", "markdown"],
        ] { try await expectHarmless(tool, words) }
      }.log
      expectHarmless(log, "the emulator's log")
      // The log holds what was asked for, in a form that does nothing.
      #expect(log.contains("[2J"))
    }
  }

  @Test("a log line has an end, however long what it quotes is", arguments: ["text", "json"])
  func longLog(_ logFormat: String) async throws {
    try await withScratchFolder { folder in
      let options = ["-v", "--log-format", logFormat]
      let log = try await withEmulator(
        for: Tool(directory: folder), file: "served.sqlite", options: options
      ) { tool in
        _ = try await tool.run(["records", "query", String(repeating: "a", count: 100_000)])
      }.log
      #expect(log.contains("bytes in all"))
      let longest = log.split(separator: "\n").map(\.utf8.count).max() ?? 0
      #expect(longest < 10_000)
    }
  }

  private func withContainer(_ body: (Tool) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      _ = try await tool.makeContainer(".celestra/container.sqlite")
      try await body(tool)
    }
  }

  /// A feed, its subscription and a category, with the text wherever a text can be.
  private func importRecords(_ tool: Tool) async throws {
    func line(_ type: String, _ name: String, _ fields: [String]) -> String {
      let values = fields.map { #""\#($0)":{"type":"STRING","value":"\#(Self.json)"}"# }.joined(
        separator: ",")
      return #"{"recordType":"\#(type)","recordName":"\#(name)","fields":{\#(values)}}"# + "\n"
    }
    let lines =
      line("PublicFeed", "feed-1", ["title", "feedURL", "siteURL", "language"])
      + line("FeedSubscription", String(repeating: "a", count: 64), ["feedRecordName"])
      + line("FeedSubscription", "careless", ["feedRecordName"])
      + line("FeedCategory", "category-1", ["name", "slug"])
      + line("FeedCollection", "collection-1", ["title", "curatorName"])
    let imported = try await tool.run(["records", "import", "-"], stdin: lines)
    try #require(imported.status == 0, "\(imported.err)")
    expectHarmless(imported.out + imported.err, "records import")
  }

  private func write(_ text: String, _ folder: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path)"))
  }

  private func expectHarmless(_ tool: Tool, _ words: [String], shows: Bool = true) async throws {
    let outcome = try await tool.run(words)
    let isGitHub = words.contains("github")
    expectHarmless(outcome.out, "\(words) on standard output", isGitHub: isGitHub)
    expectHarmless(outcome.err, "\(words) on standard error")
    // It is shown, harmless as it is: a command that never came so far proves nothing.
    #expect((outcome.out + outcome.err).contains("[2J") == shows, "\(words): \(outcome.out)\(outcome.err)")
  }

  /// - Parameter isGitHub: commands of ours are expected, each with a file or a title.
  private func expectHarmless(_ output: String, _ place: String, isGitHub: Bool = false) {
    let obeyed = output.unicodeScalars.filter { scalar in
      scalar != "\n"
        && (scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
          || [.lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
    }
    #expect(obeyed.isEmpty, "\(place) holds \(obeyed.map { "U+\(String($0.value, radix: 16))" })")
    #expect(output.utf8.firstRange(of: "##[".utf8) == nil, "\(place) holds a command")
    for line in output.split(separator: "\n") {
      let start = String(line.drop(while: \.isWhitespace))
      let isOurs = isGitHub && start.wholeMatch(of: /::(error|warning|notice) (file|title)=.*/) != nil
      #expect(!start.hasPrefix("::") || isOurs, "\(place) has the line \(line)")
    }
  }
}
