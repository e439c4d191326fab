import Foundation
import Testing

/// The JSON and the exit statuses that scripts depend on, as they were last recorded: one file for each noun in
/// `contract/`. A file holds the commands of a scenario, and below each command, after `>`, its exit status and the
/// outline of its output (see `OutputOutline`).
///
/// After a change that you want, run the tests once with CELESTRA_RECORD_SNAPSHOTS=1 and review the difference in git.
/// A line that disappears or changes breaks somebody's script; a new line does not.
@Suite struct ContractTests {
  private static let folder = projectRoot.appending(path: "Tests/Scenarios/contract")

  /// Empty when the folder cannot be read, which the test of the number of invocations notices.
  static let nouns = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".contract") }.map { String($0.dropLast(9)) }.sorted()

  @Test("keys and exit statuses are as recorded", arguments: nouns)
  func recorded(_ noun: String) async throws {
    let file = ContractTests.folder.appending(path: "\(noun).contract")
    let expected = try String(contentsOf: file, encoding: .utf8)
    let found = try await replayed(expected, noun)
    if ProcessInfo.processInfo.environment["CELESTRA_RECORD_SNAPSHOTS"] != nil {
      try Data(found.utf8).write(to: file)
    }
    // Not `expected`: a run that records compares with the file it wrote, as any later run does.
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let changes = differences(recorded, found)
    #expect(changes.isEmpty, "\(noun).contract differs (- recorded, + found):\n\(changes)")
  }

  @Test("the contract covers at least 60 invocations")
  func coverage() throws {
    let commands = try ContractTests.nouns.flatMap { noun in
      let file = ContractTests.folder.appending(path: "\(noun).contract")
      return try Scenario(name: noun, text: withoutRecord(String(contentsOf: file, encoding: .utf8))).steps
    }
    #expect(commands.count >= 60)
  }

  /// The file's text with what the commands do now.
  private func replayed(_ text: String, _ noun: String) async throws -> String {
    let scenario = try Scenario(name: noun, text: withoutRecord(text))
    var outlines: [Int: [String]] = [:]
    try await withScratchFolder { folder in
      for file in scenario.files { try file.write(in: folder) }
      for step in scenario.steps {
        let outcome = try await step.run(in: folder)
        outlines[step.line] = ["exit \(outcome.status)"] + OutputOutline.lines(of: outcome.out)
      }
    }
    return merged(text, outlines)
  }

  /// Recorded lines become empty, so that the numbers of all other lines stay.
  private func withoutRecord(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.hasPrefix("> ") ? "" : $0 }
      .joined(separator: "\n")
  }

  private func merged(_ text: String, _ outlines: [Int: [String]]) -> String {
    var lines: [String] = []
    var pending: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("> ") { continue }
      if !line.hasPrefix("env "), !line.hasPrefix("stdin ") {
        lines += pending
        pending = []
      }
      lines.append(String(line))
      if let outline = outlines[index + 1] { pending = outline.map { "> \($0)" } }
    }
    return (lines + pending).joined(separator: "\n")
  }

  /// The lines that differ, each with the command it belongs to.
  private func differences(_ recorded: String, _ found: String) -> String {
    let old = recorded.split(separator: "\n").map(String.init)
    let new = found.split(separator: "\n").map(String.init)
    return new.difference(from: old).map { change in
      switch change {
      case .remove(let offset, let line, _): "- \(line)   [\(command(above: offset, in: old))]"
      case .insert(let offset, let line, _): "+ \(line)   [\(command(above: offset, in: new))]"
      }
    }.joined(separator: "\n")
  }

  private func command(above offset: Int, in lines: [String]) -> String {
    lines[...offset].last { $0.hasPrefix("$ ") || $0.hasPrefix("% ") } ?? "before the first command"
  }
}
