import Foundation
import Testing

@Suite struct ScenarioTests {
  @Test(
    "the tool does what the script says",
    arguments: try Scenario.loadAll(in: projectRoot.appending(path: "Tests/Scenarios/scripts").path))
  func scripted(_ scenario: Scenario) async throws {
    try await withScratchFolder { folder in
      for file in scenario.files { try file.write(in: folder) }
      for step in scenario.steps {
        try await ScenarioRun(folder: folder, scenario: scenario, step: step).check()
      }
    }
  }
}

extension Scenario.File {
  func write(in folder: String) throws {
    let url = URL(filePath: "\(folder)/\(path)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }
}

extension Scenario.Step {
  func run(in folder: String) async throws -> Tool.Outcome {
    let tool = Tool(directory: folder, environment: environment)
    let input = try stdin.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) } ?? ""
    switch action {
    case .tool(let words): return try await tool.run(words, stdin: input)
    case .shell(let line): return try await tool.shell(line, stdin: input)
    }
  }
}

/// One step of a scenario, run in its folder.
struct ScenarioRun {
  let folder: String
  let scenario: Scenario
  let step: Scenario.Step

  func check() async throws {
    let before = try await guarded()
    let outcome = try await step.run(in: folder)
    let place = "\(scenario.name):\(step.line): \(step.text)"
    #expect(outcome.status == step.exit, "\(place)\(printed(outcome))")
    for expectation in step.expectations {
      #expect(
        holds(expectation, outcome) == expectation.isWanted,
        "\(scenario.name):\(expectation.line): \(expectation.kind) \(expectation.text)\(printed(outcome))")
    }
    let after = try await guarded()
    #expect(before == after, "\(place): a file that must not change did\(printed(outcome))")
  }

  /// What must be the same before and after.
  private func guarded() async throws -> [Data?] {
    var found: [Data?] = []
    for expectation in step.expectations {
      switch expectation.kind {
      case .unchanged: found.append(bytes(of: expectation.text))
      case .same:
        let export = try await Tool(directory: folder).run([
          "records", "export", "--container", expectation.text,
        ])
        found.append(Data(export.out.utf8))
      default: break
      }
    }
    return found
  }

  private func holds(_ expectation: Scenario.Expectation, _ outcome: Tool.Outcome) -> Bool {
    switch expectation.kind {
    case .out: contains(outcome.out, expectation.text)
    case .err: contains(outcome.err, expectation.text)
    case .keys: hasKeys(expectation.text, json(outcome.out))
    case .json: text(at: expectation.parts.first, in: json(outcome.out)) == expectation.parts.rest
    case .file:
      bytes(of: expectation.parts.first).map {
        contains(String(decoding: $0, as: UTF8.self), expectation.parts.rest)
      }
        ?? false
    case .exists: FileManager.default.fileExists(atPath: "\(folder)/\(expectation.text)")
    case .unchanged: bytes(of: expectation.text) != nil
    case .same: true
    }
  }

  private func hasKeys(_ text: String, _ document: Any?) -> Bool {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    let object = parts.count > 1 ? member(at: parts[0], of: document) : document
    return (object as? [String: Any])?.keys.sorted()
      == parts.last?.split(separator: " ").map(String.init).sorted()
  }

  private func contains(_ text: String, _ wanted: String) -> Bool {
    wanted == "empty" ? text.isEmpty : text.contains(wanted)
  }

  private func bytes(of path: String) -> Data? { FileManager.default.contents(atPath: "\(folder)/\(path)") }

  private func printed(_ outcome: Tool.Outcome) -> String {
    "\nexit \(outcome.status)\n--- out\n\(outcome.out.prefix(3000))\n--- err\n\(outcome.err.prefix(3000))"
  }

  private func json(_ text: String) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  /// A number, or `true` or `false`, as JSON writes it.
  private func rendered(_ number: NSNumber) -> String? {
    let data = try? JSONSerialization.data(withJSONObject: number, options: .fragmentsAllowed)
    return data.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value at a path such as `result.changes.0.action`; a list or object is given as its count.
  private func text(at path: String, in value: Any?) -> String? {
    switch member(at: path, of: value) {
    case let text as String: return text
    case let number as NSNumber: return rendered(number)
    case let array as [Any]: return "\(array.count)"
    case let object as [String: Any]: return "\(object.count)"
    default: return nil
    }
  }

  private func member(at path: String, of value: Any?) -> Any? {
    var value = value
    for name in path.split(separator: ".").map(String.init) {
      if let object = value as? [String: Any] {
        value = object[name]
      } else if let array = value as? [Any], let index = Int(name), array.indices.contains(index) {
        value = array[index]
      } else {
        return nil
      }
    }
    return value
  }
}
