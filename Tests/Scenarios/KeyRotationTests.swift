import Foundation
import Testing

/// The page about replacing keys and tokens, on an emulator that knows both keys, and then only the new one.
@Suite("Replacing keys") struct KeyRotationTests {
  private static let ids = [
    "old": String(repeating: "0a", count: 32), "new": String(repeating: "f5", count: 32),
  ]

  /// Runs a part of the page below an emulator that accepts the keys, and a token of its own for the first of them.
  private func play(_ session: GuideSession, keys: [String], in tool: Tool) async throws {
    let script = """
      export CLOUDKIT_KEY_ID=\(Self.ids["old"] ?? "") CLOUDKIT_PRIVATE_KEY_PATH=old.pem CELESTRA_ADMIN_RECORDS_SETTLE=0s
      \(session.script)
      """
    try script.write(toFile: "\(tool.directory)/session.sh", atomically: true, encoding: .utf8)
    let accepted = keys.flatMap { ["--key-id", Self.ids[$0] ?? "", "--public-key", "\($0).pub"] }
    let outcome = try await tool.run(
      ["emulator", "exec", "--schema", "schema/celestra.ckdb", "--container-file", "service.sqlite"]
        + accepted
        + ["--token-file", "\(keys[0])-token", "--", "bash", "session.sh"])
    try session.check(outcome)
  }

  @Test("jobs go on while the key is replaced, and the old key is of no use afterwards")
  func rotation() async throws {
    let parts = try GuideSession.parts(of: "Keys.md", dividedBy: "revoked")
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      // The first command of the page makes the new key, whose public half the Console is given.
      let first = GuideSession(page: "Keys.md", steps: Array(parts[0].steps.prefix(1)))
      let made = try await tool.shell(first.script)
      try first.check(made)
      let prepared = try await tool.shell(
        """
        set -e
        openssl ec -in new.pem -pubout -out new.pub 2> log
        celestra-admin auth keygen --key-file old.pem > old.pub 2> log
        echo CLOUDKIT_KEY_ID=\(Self.ids["new"] ?? "") > new.env; echo CLOUDKIT_PRIVATE_KEY_PATH=new.pem >> new.env
        export CELESTRA_ADMIN_CONTAINER=local:service.sqlite
        celestra-admin container init --schema schema/celestra.ckdb -q
        celestra-admin seed apply --yes -q
        celestra-admin container fill --users 60 --per-user 10 -q
        """)
      try #require(prepared.status == 0, "\(prepared)")
      let overlap = GuideSession(page: "Keys.md", steps: Array(parts[0].steps.dropFirst()))
      try await play(overlap, keys: ["old", "new"], in: tool)
      try await play(parts[1], keys: ["new"], in: tool)
    }
  }
}
