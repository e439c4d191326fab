import DemoFeeds
import Foundation
import HostileFeeds
import Testing

/// One list of scenarios, each run on a local file and again through client and emulator. After every step both
/// containers must hold the same records and the same schema.
@Suite struct BothContainersTests {
  @Test(
    "the scenario leaves the same records on both containers",
    arguments: try Scenario.loadAll(
      in: projectRoot.appending(path: "Tests/Scenarios/scripts/both-containers").path))
  func onBoth(_ scenario: Scenario) async throws {
    // The same feeds for both runs: a feed's address is part of its record.
    let feeds = try await DemoFeedServer.start(
      now: 1_770_091_506, slowDelay: .milliseconds(10))
    do {
      let local = try await contents(after: scenario, feeds: feeds.port, on: .file)
      let served = try await contents(after: scenario, feeds: feeds.port, on: .emulator)
      for (step, (here, there)) in zip(scenario.steps, zip(local, served)) {
        #expect(here == there, "\(scenario.name):\(step.line): \(step.text)")
      }
      #expect(local.count == scenario.steps.count && served.count == local.count)
    } catch {
      try await feeds.stop()
      throw error
    }
    try await feeds.stop()
  }

  private enum Container { case file, emulator }

  /// What the container holds after each step of the scenario.
  private func contents(after scenario: Scenario, feeds port: Int, on container: Container) async throws
    -> [Contents]
  {
    try await withProjectFolder { tool in
      for var file in scenario.files {
        file.text.replace("{port}", with: "\(port)")
        try file.write(in: tool.directory)
      }
      _ = try await tool.makeContainer("container.sqlite")
      switch container {
      case .file: return try await play(scenario, with: tool.on(file: "container.sqlite"))
      case .emulator:
        return try await withEmulator(for: tool, file: "container.sqlite") { tool in
          try await play(scenario, with: tool)
        }.result
      }
    }
  }

  private func play(_ scenario: Scenario, with tool: Tool) async throws -> [Contents] {
    var contents: [Contents] = []
    for step in scenario.steps {
      var step = step
      step.environment.merge(tool.environment) { own, _ in own }
      try await ScenarioRun(folder: tool.directory, scenario: scenario, step: step).check()
      contents.append(try await Contents(of: tool))
    }
    return contents
  }
}

private struct Contents: Equatable {
  var schema: String
  var records: [String]

  init(of tool: Tool) async throws {
    schema = try await tool.succeed("schema", "export").out
    records = try await tool.export()
  }
}
