import Foundation
import Testing

/// The guide to live sessions: a container with made-up sessions, and then an emulator with users who report each other.
@Suite("The guide to live sessions") struct LiveSessionsGuideTests {
  @Test("what the guide shows is what one sees")
  func guide() async throws {
    let parts = try GuideSession.parts(of: "LiveSessions.md", dividedBy: "emulator")
    try await withScratchFolder { folder in
      let tool = Tool(in: folder, clock: Guide.clock)
      try parts[0].check(try await tool.shell(parts[0].script))
      try parts[1].script.write(toFile: "\(folder)/session.sh", atomically: true, encoding: .utf8)
      let outcome = try await tool.run([
        "emulator", "exec", "--container-file", ".celestra/container.sqlite", "--", "bash", "session.sh",
      ])
      try parts[1].check(outcome)
    }
  }
}
