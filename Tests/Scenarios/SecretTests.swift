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

  /// The second user, and the names of the records by which both users' apps find out that they are blocked.
  private static let blockedPeople = [
    "_d827cf7060e884335f54fbaf895589f9",
    "7e13da4ccd0f55721437755d19ac8afd10e075c8dea01ec95db5a5cdc8cda602",
    "1c2760e4b8aeb0de754b7fa3854cf5a2152443273e4886b3cf170899db860f13",
  ]

  /// Every kind of decision about records of two users, as text, JSON and logs, and the console's pages about them.
  private static let moderation = #"""
    set -e
    export CELESTRA_ADMIN_CONTAINER=local:container.sqlite-room
    openssl req -x509 -newkey rsa:2048 -nodes -keyout court.pem -out cert.pem -days 30 -subj /CN=Court \
      -addext keyUsage=critical,keyEncipherment 2> /dev/null
    celestra-admin container init --schema schema/live-sessions.ckdb
    celestra-admin container fill --sessions 16 --users 2
    set -- $(celestra-admin moderation list --format json | sed -n 's/.*"target": "\(.*\)",/\1/p')
    moderate() { celestra-admin moderation "$@"; celestra-admin moderation "$@" --format json -v --log-format json; }
    moderate list
    moderate hide $1 --yes
    celestra-admin moderation decide $2 --as dismissed --yes --format json
    celestra-admin moderation remove $3 --evidence case.cms --recipient cert.pem --yes --accept-risk data-loss -v
    moderate block $1 --dry-run
    moderate block $1 --yes --reason spam | tee block.txt
    moderate show $1
    moderate sweep --yes --metrics sweep.prom
    celestra-admin console --ready-file console.json & console=$!
    until [ -s console.json ]; do kill -0 $console; sleep 0.1; done
    url=$(sed -n 's/.*"consoleURL": *"\([^"]*\)".*/\1/p' console.json)
    curl -sf -c jar "$url" > /dev/null
    for case in $1 $2 $4 $5; do curl -sf -b jar "${url}moderation?case=$case"; done
    kill $console
    celestra-admin moderation unblock $(sed -n 's/^to take it back: .* //p' block.txt) --yes --format json
    celestra-admin history; celestra-admin history --format json
    """#

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
        ] + SecretTests.simulatedPeople + SecretTests.blockedPeople
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
      let moderated = try await tool.shell(SecretTests.moderation)
      #expect(moderated.status == 0 && moderated.out.contains("<bdi>"), "\(moderated.err)")
      expect(moderated.out + moderated.err, without: secrets, "moderation")
      for (path, text) in try writtenFiles(folder) { expect(text, without: secrets, path) }
    }
  }

  /// Ends a command when it waits for a service: the whole wait takes a minute.
  private func runUntilItWaits(_ words: [String], _ tool: Tool) async throws -> Tool.Outcome {
    try await tool.shell(
      """
      : > messages # What the command before it wrote must not end this one.
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
