import Foundation
import Testing

/// Nothing the tool prints or writes holds a secret or a person's name.
@Suite struct SecretTests {
  private static let managementToken = "management-token-5c1f0e"
  private static let apiToken = "api-token-77ab90"
  private static let webAuthToken = "web-auth-token-d2e314"
  /// A person's record name in the data, as CloudKit makes them.
  private static let userRecordName = "_0123456789abcdef0123456789abcdef"

  /// Whom a local container names as the creator of what this tool writes.
  private static let creator = "_a6f94335ec2250271f7122acfb8c2ea8"

  /// The first user of `container fill`, and the one who makes names up.
  private static let simulatedPeople = [
    "_8a5dc454b717e7805481ab3f91e2c62f", "_7bbf73ae2ec68325fa37f5f379d2a0f9",
  ]

  private static let commands: [[String]] = [
    ["--help"], ["config", "show", "--origin"], ["config", "show", "--format", "json"],
    ["auth", "status"], ["auth", "status", "--format", "json"],
    ["schema", "validate", "schema/celestra.ckdb"], ["schema", "plan", "schema/live-sessions.ckdb"],
    ["schema", "plan", "schema/live-sessions.ckdb", "--output", "schema-plan.json"],
    ["schema", "apply", "--plan", "schema-plan.json"], ["schema", "export"],
    ["seed", "plan", "seeds", "--output", "plan.json"], ["seed", "apply", "--plan", "plan.json", "-v"],
    ["records", "query", "FeedCategory", "--format", "json"],
    ["records", "count", "FeedSubscription"], ["records", "export", "FeedCategory"],
    ["seed", "apply", "seeds", "--yes"], ["container", "fill", "--users", "9", "--made-up", "7"],
    ["recount", "subscribers"], ["recount", "subscribers", "--strategy", "sweep", "-v"],
    ["recount", "subscribers", "--strategy", "by-target", "--format", "json", "--metrics", "recount.prom"],
    ["recount", "subscribers", "--count-names", "verified", "--max-drop", "1"],
    [
      "recount", "subscribers", "--count-names", "verified", "--accept-risk", "count-drop", "--format",
      "json",
    ],
    ["records", "get", "lease-recount-subscribers", "--format", "json"],
    ["recount", "audit", "--max-per-creator", "1", "-v"],
    ["recount", "audit", "--format", "json"],
    ["recount", "audit", "--format", "sarif", "--output", "audit.sarif"],
    ["recount", "all", "--format", "json"], ["container", "verify"],
    ["container", "verify", "--format", "json"], ["container", "info"],
    ["container", "info", "--format", "json"], ["records", "query", "FeedCategory", "-v"],
    ["records", "get", "technology"], ["records", "count", "PublicFeed", "--by", "category"],
    ["records", "export", "PublicFeed", "--output", "feeds.jsonl"],
    ["seed", "pull", "--dry-run"],
    ["seed", "pull", "--dry-run"], ["seed", "export"], ["status"],
    ["status", "--format", "html", "--output", "status.html"],
    ["status", "--output", "status.html"], ["history"], ["history", "--format", "json"],
    ["undo", "--dry-run"],
    ["person", "check"], ["person", "check", "--format", "json"],
    ["person", "erase", "--person", "schema/person", "--yes", "--accept-risk", "data-loss"],
    ["person", "erase", "--person", "schema/person", "--also", "feedRecordName=gone", "--dry-run", "-v"],
    ["person", "erase", "--person", "schema/person", "--also", "feedRecordName=gone", "--format", "json"],
    ["person", "erase", "--person", "schema/person", "--also", "\(userRecordName)=gone"], ["history"],
    ["queries", "check"], ["recount", "all", "--dry-run", "-v", "--log-format", "json"],
  ]

  /// Nothing answers them.
  private static let unanswered: [[String]] = [
    ["auth", "check", "--container", "cloudkit:iCloud.com.example.App", "--format", "json", "-v"],
    [
      "seed", "apply", "seeds", "--container", "cloudkit:iCloud.com.example.App", "-v", "--log-format",
      "json",
    ],
    [
      "cktool", "export-schema", "--team-id", "TEAM123456", "--container-id", "iCloud.com.example.App",
      "--environment", "development", "--token", managementToken,
    ],
  ]

  @Test("no secret is printed, nor written to the history, a plan or any other file")
  func secretsStaySecret() async throws {
    try await withScratchFolder { folder in
      let key = try await privateKey(folder)
      let tool = Tool(directory: folder, environment: environment(key))
      try await importPeople(tool)
      let secrets =
        [
          SecretTests.managementToken, SecretTests.apiToken, SecretTests.webAuthToken,
          SecretTests.userRecordName, SecretTests.creator,
        ] + SecretTests.simulatedPeople
        + key.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init)
      for words in SecretTests.commands {
        let outcome = try await tool.run(words)
        expect(outcome.out + outcome.err, without: secrets, "\(words.joined(separator: " "))")
      }
      for words in SecretTests.unanswered {
        let outcome = try await runUntilItWaits(words, tool)
        #expect((outcome.out + outcome.err).contains("port 9"), "\(outcome)")
        expect(outcome.out + outcome.err, without: secrets, "\(words.joined(separator: " "))")
      }
      for (path, text) in try writtenFiles(folder) { expect(text, without: secrets, path) }
    }
  }

  /// Ends a command when it waits for a service: the whole wait takes a minute.
  private func runUntilItWaits(_ words: [String], _ tool: Tool) async throws -> Tool.Outcome {
    try await tool.shell(
      """
      celestra-admin \(words.joined(separator: " ")) 2> messages & run=$!
      until grep -q 'trying again' messages || ! kill -0 $run; do sleep 0.1; done
      kill -TERM $run; wait $run; status=$?; cat messages >&2; exit $status
      """)
  }

  private func privateKey(_ folder: String) async throws -> String {
    let made = try await Tool(directory: folder).run(["auth", "keygen", "--key-file", "key.pem"])
    try #require(made.status == 0, "\(made.err)")
    let key = try String(contentsOfFile: "\(folder)/key.pem", encoding: .utf8)
    try FileManager.default.removeItem(atPath: "\(folder)/key.pem")
    return key
  }

  /// Port 9 of this machine: nothing answers there.
  private func environment(_ key: String) -> [String: String] {
    [
      "CLOUDKIT_KEY_ID": "0011223344", "CLOUDKIT_PRIVATE_KEY": key,
      "CLOUDKIT_MANAGEMENT_TOKEN": SecretTests.managementToken, "CLOUDKIT_TEAM_ID": "TEAM123456",
      "CLOUDKIT_API_TOKEN": SecretTests.apiToken, "CLOUDKIT_WEB_AUTH_TOKEN": SecretTests.webAuthToken,
      "CLOUDKIT_BASE_URL": "http://127.0.0.1:9", "CLOUDKIT_MANAGEMENT_BASE_URL": "http://127.0.0.1:9",
      "CELESTRA_ADMIN_CONTAINER": "local:container.sqlite",
    ]
  }

  /// A subscription whose name a careless client made from its user's. The history of this import keeps neither names
  /// nor values of records that users make.
  private func importPeople(_ tool: Tool) async throws {
    let schema = projectRoot.appending(path: "schema/celestra.ckdb").path
    _ = try await tool.run(["container", "init", "--schema", schema])
    // In a folder that is not searched below: the person's name is what the test brings.
    try SecretTests.userRecordName.write(
      toFile: "\(tool.directory)/schema/person", atomically: true, encoding: .utf8)
    let line = """
      {"recordType":"FeedSubscription","recordName":"feed-\(SecretTests.userRecordName)","fields":\
      {"feedRecordName":{"type":"STRING","value":"gone"}}}

      """
    let imported = try await tool.run(["records", "import", "-"], stdin: line)
    try #require(imported.status == 0, "\(imported.err)")
  }

  private func expect(_ text: String, without secrets: [String], _ place: String) {
    for secret in secrets { #expect(!text.contains(secret), "\(place) holds \(secret.prefix(12))…") }
  }

  /// Everything the runs left behind but the container itself and what the test put there.
  private func writtenFiles(_ folder: String) throws -> [(path: String, text: String)] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return paths.filter { path in
      !path.hasPrefix("seeds/") && !path.hasPrefix("schema/") && !path.hasPrefix("container.sqlite")
    }.compactMap { path in
      FileManager.default.contents(atPath: "\(folder)/\(path)").map {
        (path, String(decoding: $0, as: UTF8.self))
      }
    }
  }
}
