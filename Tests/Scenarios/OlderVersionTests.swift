import Foundation
import Testing

/// What version 0.1.0 left behind is used, or refused in one sentence. The files in older/0.1.0 were written by its
/// binary, at the time that ``Tool/clock`` has. Its leases have a test of their own (JobLeaseTests).
@Suite("Files of version 0.1.0") struct OlderVersionTests {
  private static let files = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "older/0.1.0")

  private func withOldFiles(_ body: (Tool) async throws -> Void) async throws {
    try await withProjectFolder { tool in
      try FileManager.default.copyItem(atPath: Self.files.path, toPath: "\(tool.directory)/old")
      try await body(tool)
    }
  }

  @Test("a plan of the catalog is applied, and a second time finds everything done")
  func seedPlan() async throws {
    try await withOldFiles { tool in
      try await tool.succeed("container", "init", "--schema", "schema/celestra.ckdb")
      let words = ["seed", "apply", "--plan", "old/seed-plan.json", "--yes", "--format", "json"]
      let first = try await tool.run(words)
      #expect(first.status == 0 && first.out.contains(#""create": 2"#), "\(first.out)\(first.err)")
      let second = try await tool.run(words)
      #expect(second.status == 0 && second.out.contains(#""unchanged": 2"#), "\(second.out)\(second.err)")
      let query = try await tool.run(["records", "query", "PublicFeed", "--format", "json"])
      #expect(query.out.contains("https://feeds.example.org/rss"), "\(query.out)")
    }
  }

  @Test("an edited plan of the catalog is refused, also where only its shown half was edited")
  func editedPlan() async throws {
    try await withOldFiles { tool in
      try await tool.succeed("container", "init", "--schema", "schema/celestra.ckdb")
      let text = try String(contentsOfFile: "\(tool.directory)/old/seed-plan.json", encoding: .utf8)
      // The first is what a person reads, the last is in the plan.
      let places = text.ranges(of: "#007AFF")
      #expect(places.count == 2)
      for place in places {
        try text.replacingCharacters(in: place, with: "#FF0000").write(
          toFile: "\(tool.directory)/edited.json", atomically: true, encoding: .utf8)
        let outcome = try await tool.run(["seed", "apply", "--plan", "edited.json", "--yes"])
        #expect(
          outcome.status == 1 && outcome.err.contains("was edited after it was made"), "\(outcome.err)")
      }
      #expect(try await tool.run(["records", "count", "FeedCategory"]).out.contains("0"))
    }
  }

  @Test("a plan of a schema is applied")
  func schemaPlan() async throws {
    try await withOldFiles { tool in
      let place = ["--container", "local:notes.sqlite"]
      try await tool.succeed("container", "init", "--schema", "old/schema-before.ckdb", place[0], place[1])
      let outcome = try await tool.run(
        ["schema", "apply", "--plan", "old/schema-plan.json", "--yes"] + place)
      #expect(outcome.status == 0, "\(outcome.out)\(outcome.err)")
      let schema = try await tool.run(["schema", "export"] + place)
      #expect(schema.out.contains("body") && schema.out.contains("STRING QUERYABLE"), "\(schema.out)")
    }
  }

  @Test("a checkpoint is passed over with a note, and everything is counted from the start")
  func checkpoint() async throws {
    try await withOldFiles { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", feeds: 10, count: 100)
      let words = [
        "recount", "subscribers", "--yes", "--strategy", "sweep", "--checkpoint", "old/checkpoint.json",
      ]
      let outcome = try await tool.on(file: "container.sqlite").run(words)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(
        (outcome.out + outcome.err).contains(
          "the checkpoint was written by another version of this tool, so this run counted from the start"),
        "\(outcome.err)")
      #expect(try container.wrongCounts() == [])
    }
  }

  @Test("a journal is left alone, and history and undo say that it is not read")
  func journal() async throws {
    try await withOldFiles { tool in
      let folder = "\(tool.directory)/.celestra/journal"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let name = "1770091506000-seed-apply"
      try FileManager.default.copyItem(
        atPath: "\(tool.directory)/old/\(name).ended.jsonl", toPath: "\(folder)/\(name).open.jsonl")
      let history = try await tool.run(["history"])
      #expect(
        history.status == 0 && history.err.contains("holds journals of version 0.1.0"), "\(history.err)")
      let undo = try await tool.run(["undo", name])
      #expect(undo.status == 1 && undo.err.contains("cannot be undone"), "\(undo.err)")
      try await tool.succeed("container", "init", "--schema", "schema/celestra.ckdb")
      let apply = try await tool.run(["seed", "apply", "--plan", "old/seed-plan.json", "--yes"])
      #expect(apply.status == 0, "\(apply.err)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["\(name).open.jsonl"])
    }
  }

  /// A project folder with the container and the history of the last builds of 0.1.0, before containers had an id.
  private func withHistory(_ body: (Tool) async throws -> Void) async throws {
    try await withProjectFolder { tool in
      let files = FileManager.default
      let old = Self.files.deletingLastPathComponent().appending(path: "0.1-with-history").path
      try files.copyItem(atPath: "\(old)/state", toPath: "\(tool.directory)/.celestra")
      let made = try await tool.shell("chmod 700 .celestra .celestra/history && chmod 600 .celestra/*.sqlite")
      try #require(made.status == 0)
      try await body(tool)
    }
  }

  @Test(
    "a run is undone by any path to its container, and what was undone is not undone again",
    arguments: [
      "local:.celestra/container.sqlite", "local:./.celestra/../.celestra/container.sqlite", "absolute",
    ])
  func history(_ place: String) async throws {
    try await withHistory { tool in
      let path = place == "absolute" ? "local:\(tool.directory)/.celestra/container.sqlite" : place
      func run(_ words: String...) async throws -> Tool.Outcome {
        try await tool.run(words + ["--container", path])
      }
      let list = try await run("history")
      #expect(list.status == 0 && list.out.contains(/20261120T160000-bd0391  .*seed apply/), "\(list.err)")
      let undone = try await run("undo", "20261120T090000-44889c", "--yes")
      #expect(undone.status == 1 && undone.err.contains("already undone"), "\(undone.out)\(undone.err)")
      let last = try await run("undo", "--yes")
      #expect(last.status == 0 && last.out.contains("1 changed back"), "\(last.out)\(last.err)")
      let orbits = try await run("records", "query", "PublicFeed", "--filter", "title == Orbits")
      #expect(orbits.out.contains("orbits.example"), "\(orbits.out)\(orbits.err)")
      let deleted = try await run("undo", "20261120T110000-bf1d05", "--yes")
      #expect(deleted.status == 0 && deleted.out.contains("1 restored"), "\(deleted.out)\(deleted.err)")
    }
  }

  @Test("the runs of a container beside another folder's state are found there")
  func formerStateFolder() async throws {
    try await withHistory { tool in
      let moved = try await tool.shell(
        """
        mkdir data && mv .celestra/container.sqlite data/c.sqlite
        sed -i 's#local:.celestra/container.sqlite#local:data/c.sqlite#' .celestra/history/*.jsonl
        """)
      try #require(moved.status == 0)
      let undo = try await tool.run(["undo", "--yes", "--container", "local:./data/c.sqlite"])
      #expect(undo.status == 0 && undo.out.contains("1 changed back"), "\(undo.out)\(undo.err)")
      #expect(FileManager.default.fileExists(atPath: "\(tool.directory)/data/.celestra/history"))
      let again = try await tool.run(["undo", "--yes", "--container", "local:data/c.sqlite"])
      #expect(again.status == 1 && again.err.contains("is itself an undo"), "\(again.err)")
    }
  }

  @Test("what the page about upgrading shows is what one sees")
  func upgrading() async throws {
    let session = try GuideSession.parts(of: "Upgrading.md")[0]
    try await withHistory { tool in
      try FileManager.default.removeItem(atPath: "\(tool.directory)/seeds")
      try FileManager.default.copyItem(atPath: "\(Self.later)/seeds", toPath: "\(tool.directory)/seeds")
      try session.check(try await tool.shell(session.script))
    }
  }

  private static let later = files.deletingLastPathComponent().appending(path: "0.1-with-history").path

  @Test(
    "settings of 0.1.0 are read, and a folder that they name in another way gives each run once",
    arguments: [".celestra", "./.celestra/../.celestra", "absolute"])
  func settings(_ folder: String) async throws {
    try await withHistory { tool in
      let file = "\(tool.directory)/celestra-admin.json"
      try FileManager.default.copyItem(atPath: "\(Self.later)/celestra-admin.json", toPath: file)
      let absolute = "\(tool.directory)/.celestra"
      let text = try String(contentsOfFile: file, encoding: .utf8)
      try text.replacing(
        "\"stateDirectory\": \".celestra\"",
        with: "\"stateDirectory\": \"\(folder == "absolute" ? absolute : folder)\""
      )
      .write(toFile: file, atomically: true, encoding: .utf8)
      let list = try await tool.run(["history"])
      #expect(list.status == 0 && list.out.split(separator: "\n").count == 7, "\(list)")
      let json = try await tool.json(["history", "--format", "json"])
      #expect((json["runs"] as? [Any])?.count == 7)
      try await tool.succeed("undo", "--yes")
      let after = try await tool.run(["history"])
      #expect(after.out.split(separator: "\n").count == 8, "\(after)")
    }
  }

  @Test("plans of later builds are applied to what they were made for, and refused elsewhere")
  func laterPlans() async throws {
    try await withHistory { tool in
      let plan = "\(Self.later)/catalog-plan.json"
      let refused = try await tool.run(["seed", "apply", "--plan", plan, "--yes"])
      #expect(refused.status == 1 && refused.err.contains("the plan is out of date"), "\(refused)")
      let schema = try await tool.run([
        "schema", "apply", "--plan", "\(Self.later)/schema-plan.json", "--yes",
      ])
      #expect(schema.status == 0 && schema.out.contains("1 change imported"), "\(schema)")
      try FileManager.default.removeItem(atPath: "\(tool.directory)/.celestra")
      try await tool.succeed("container", "init", "--schema", "\(Self.later)/celestra.ckdb")
      let applied = try await tool.run(["seed", "apply", "--plan", plan, "--yes"])
      #expect(applied.status == 0 && applied.out.contains("6 created"), "\(applied)")
    }
  }

  @Test("a checkpoint of later builds continues no other run, and is named")
  func laterCheckpoint() async throws {
    try await withHistory { tool in
      let path = "\(tool.directory)/checkpoint.json"
      try FileManager.default.copyItem(atPath: "\(Self.later)/checkpoint.json", toPath: path)
      let words = ["recount", "subscribers", "--strategy", "sweep", "--checkpoint", path]
      let refused = try await tool.run(words)
      #expect(refused.status == 1 && refused.err.contains("delete this one"), "\(refused)")
      try FileManager.default.removeItem(atPath: path)
      let counted = try await tool.run(words)
      #expect(counted.status == 0 && counted.out.contains("60 sources"), "\(counted)")
    }
  }

  @Test("a token that was saved with an address is not sent to another")
  func tokenWithAddress() async throws {
    try await withOldFiles { tool in
      let folder = "\(tool.directory)/.config/celestra-admin"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: "\(Self.later)/settings/management-token-with-address", toPath: "\(folder)/management-token")
      var tool = tool
      tool.environment["CLOUDKIT_CONTAINER_ID"] = "iCloud.com.example.App"
      tool.environment["CLOUDKIT_TEAM_ID"] = "TEAM123456"
      let refused = try await tool.run(["schema", "export"])
      #expect(
        refused.status == 4
          && refused.err.contains("the saved token for https://schemas.example.test/ is not sent"),
        "\(refused)")
    }
  }

  @Test("a plan of renamed feeds is applied")
  func laterPlan() async throws {
    try await withHistory { tool in
      let plan = Self.files.deletingLastPathComponent().appending(path: "0.1-with-history/rename-plan.json")
        .path
      let apply = try await tool.run(["seed", "apply", "--plan", plan, "--yes"])
      #expect(apply.status == 0 && apply.out.contains("1 updated"), "\(apply.out)\(apply.err)")
    }
  }

  @Test("a saved token is sent, to Apple's address only")
  func savedToken() async throws {
    try await withOldFiles { tool in
      let folder = "\(tool.directory)/.config/celestra-admin"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: "\(tool.directory)/old/management-token", toPath: "\(folder)/management-token")
      var tool = tool
      let proxy = try Listener(answering: ["HTTP/1.1 403 Forbidden"])
      tool.environment["CLOUDKIT_CONTAINER_ID"] = "iCloud.com.example.App"
      tool.environment["CLOUDKIT_TEAM_ID"] = "TEAM123456"
      tool.environment["HTTPS_PROXY"] = proxy.url
      let sent = try await tool.run(["schema", "export"])
      #expect(
        sent.status == 1 && proxy.received.hasPrefix("CONNECT api.icloud.apple.com:443 "), "\(sent.err)")
      tool.environment["CLOUDKIT_MANAGEMENT_BASE_URL"] = try Listener().url
      let refused = try await tool.run(["schema", "export"])
      #expect(
        refused.status == 4 && refused.err.contains("the saved token for Apple's service"), "\(refused.err)")
    }
  }
}
