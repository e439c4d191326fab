import Foundation
import Testing

@Suite struct ReadmeTests {
  @Test("the sessions in the README are what one sees in an empty folder of its section, without a checkout")
  func sessions() async throws {
    let readme = try String(contentsOf: projectRoot.appending(path: "README.md"), encoding: .utf8)
    // Each section begins anew.
    for section in readme.components(separatedBy: "\n## ") where !Guide.steps(of: section).isEmpty {
      try await withScratchFolder { folder in
        for name in ["schema", "seeds"] { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        for step in Guide.steps(of: section) {
          let outcome = try await Tool(directory: folder).shell("{ \(step.command)\n} 2>&1")
          let seen = Guide.withoutProgress(outcome.out)
          #expect(
            Guide.matches(Self.timeless(seen), Self.timeless(step.expected)),
            "README.md: \(step.command)\nprinted\n\(seen)\ninstead of\n\(step.expected)")
        }
      }
    }
    #expect(Guide.steps(of: readme).count >= 10)
  }

  private static func timeless(_ text: String) -> String {
    text.replacing(/as of [0-9-]{10}T[0-9:.]+Z/, with: "as of TIME")
  }
}
