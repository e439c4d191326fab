import Foundation
import Testing

@Suite struct ReadmeTests {
  @Test("the session in the README is what one sees")
  func context() async throws {
    let readme = try String(contentsOf: projectRoot.appending(path: "README.md"), encoding: .utf8)
    let context = try #require(Self.block(under: "## Ten lines", of: readme))
    let commands = context.split(separator: "\n").filter { $0.hasPrefix("$ ") }
    #expect(commands.count >= 5)
    try await withScratchFolder { folder in
      var seen = ""
      for command in commands {
        let outcome = try await Tool(directory: folder).shell("{ \(command.dropFirst(2))\n} 2>&1")
        seen += "\(command)\n\(Guide.withoutProgress(outcome.out))"
      }
      #expect(Self.timeless(seen) == Self.timeless(context))
    }
  }

  /// The text without run ids and times, which differ each time.
  private static func timeless(_ text: String) -> String {
    text.replacing(/[0-9]{8}T[0-9]{6}-[0-9a-f]{6}/, with: "RUN")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "TIME")
  }

  /// The first fenced block after a heading.
  private static func block(under heading: String, of text: String) -> String? {
    let parts = text.components(separatedBy: "\(heading)\n").dropFirst().first?.components(
      separatedBy: "```\n")
    return parts?.dropFirst().first
  }
}
