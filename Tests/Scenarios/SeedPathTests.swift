import Foundation
import Testing

/// Names from outside never choose a place outside the seed folder.
@Suite struct SeedPathTests {
  private static let names = [
    "../../out", "..", "/tmp/celestra-out", "a/../../../out", "..\\..\\out", ".git/hooks/post-checkout",
    "con/nul",
    "~/out", "%2e%2e/out", "feeds/../../out", "\u{2025}/out", "out\u{0}/../x",
  ]

  @Test("titles and record names of a container lead to no file outside the folder", arguments: names)
  func pull(_ name: String) async throws {
    try await withNestedSeeds { tool in
      try write(
        records: [
          ("FeedCategory", name, ["slug": name, "name": name]), ("FeedCollection", "c", ["title": name]),
          ("PublicFeed", "f", ["title": name, "feedURL": "https://a.example/f"]),
        ], category: name, to: tool)
      _ = try await tool.run(["records", "import", "records.jsonl", "--yes"])
      let run = try await tool.run(["seed", "pull", "seeds", "--only", "new"])
      // Names without a letter give no slug, which the command says.
      #expect([0, 1, 2].contains(run.status), "\(run.err)")
    }
  }

  @Test("folders and titles of an OPML file lead to no file outside the folder", arguments: names)
  func opml(_ name: String) async throws {
    try await withNestedSeeds { tool in
      let text = name.replacing("\0", with: "")
      try
        #"<opml><body><outline text="\#(text)"><outline text="\#(text)" xmlUrl="https://a.example/f"/></outline></body></opml>"#
        .write(toFile: "\(tool.directory)/f.opml", atomically: true, encoding: .utf8)
      for options in [
        ["--folders-as", "collection", "--category", "news"], ["--folders-as", "tags", "--category", "news"],
      ] {
        let run = try await tool.run(["seed", "import", "f.opml", "seeds"] + options)
        #expect(run.status <= 1, "\(run.err)")
      }
    }
  }

  @Test("options name a category, a collection and a file of the folder, and nothing else", arguments: names)
  func options(_ name: String) async throws {
    try await withNestedSeeds { tool in
      let text = name.replacing("\0", with: "")
      for words in [
        ["seed", "add", "https://a.example", "seeds", "--category", text],
        ["seed", "add", "https://a.example", "seeds", "--category", "news", "--collection", text],
        ["seed", "add", "https://a.example", "seeds", "--category", "news", "--file", text],
        ["seed", "export", "seeds", "--category", text], ["seed", "export", "seeds", "--collection", text],
      ] {
        let run = try await tool.run(words)
        #expect(run.status == 1 || run.status == 64, "\(words): \(run.err)")
      }
    }
  }

  /// Runs in a folder three levels below the scratch folder, and checks that only files of its own seed folder and its
  /// state are new.
  private func withNestedSeeds(_ body: (Tool) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: "\(folder)/a/b/c")
      for (path, text) in [
        ("seeds/categories.json", #"{"categories": [{"slug": "news", "name": "News"}]}"#),
        ("seeds/feeds/news.json", #"{"category": "news", "feeds": []}"#), ("records.jsonl", ""),
        ("f.opml", ""),
      ] { try Scenario.File(path: path, text: text).write(in: tool.directory) }
      let schema = "\(folder)/schema/celestra.ckdb"
      #expect(try await tool.run(["container", "init", "--schema", schema]).status == 0)
      let before = try paths(in: folder)
      try await body(tool)
      let made = try paths(in: folder).subtracting(before)
      #expect(
        made.allSatisfy {
          $0.wholeMatch(of: /a\/b\/c\/seeds\/(feeds|collections)(\/[a-z0-9-]+\.json)?/) != nil
        },
        "\(made)")
      #expect(!FileManager.default.fileExists(atPath: "/tmp/celestra-out"))
    }
  }

  private func paths(in folder: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: folder)).filter {
      !$0.hasPrefix("a/b/c/.celestra")
    }
  }

  private func write(
    records: [(type: String, name: String, fields: [String: String])], category: String, to tool: Tool
  ) throws {
    let lines = try records.map { record in
      var fields: [String: Any] = record.fields.mapValues { ["type": "STRING", "value": $0] }
      if record.type == "PublicFeed" {
        fields["category"] = ["type": "REFERENCE", "value": ["recordName": category]]
      }
      let object: [String: Any] = ["recordType": record.type, "recordName": record.name, "fields": fields]
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
    try lines.joined(separator: "\n").write(
      toFile: "\(tool.directory)/records.jsonl", atomically: true, encoding: .utf8)
  }
}
