import Foundation
import Testing

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

@Suite struct ScenarioTests {
  @Test(arguments: try Scenario.loadAll(in: root.appending(path: "Tests/Scenarios/scripts").path))
  func scripted(_ scenario: Scenario) async throws {
    try await withScratchFolder { folder in
      try prepare(folder, scenario)
      let tool = Tool(directory: folder)
      for step in scenario.steps { try await check(step, of: scenario, with: tool) }
    }
  }

  /// The project's own schemas and seeds are there too, as in a clone.
  private func prepare(_ folder: String, _ scenario: Scenario) throws {
    for name in ["schema", "seeds"] {
      try FileManager.default.copyItem(atPath: root.appending(path: name).path, toPath: "\(folder)/\(name)")
    }
    for file in scenario.files {
      let path = URL(filePath: "\(folder)/\(file.path)")
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.text.utf8).write(to: path)
    }
  }

  private func check(_ step: Scenario.Step, of scenario: Scenario, with tool: Tool) async throws {
    let outcome = try await tool.run(step.words)
    let place = "\(scenario.name):\(step.line): \(step.words.joined(separator: " "))"
    let printed = "\n--- out\n\(outcome.out)--- err\n\(outcome.err)"
    #expect(outcome.status == step.exit, "\(place)\(printed)")
    for expectation in step.expectations {
      let text = expectation.stream == .out ? outcome.out : outcome.err
      #expect(
        text.contains(expectation.text) == expectation.isWanted,
        "\(scenario.name):\(expectation.line): '\(expectation.text)'\(printed)")
    }
  }
}
