import Foundation
import Testing

/// A scripted run of the tool, as a text file:
///
///     # What a reader should know.
///     $ seed plan seeds --exit-code
///     exit 2
///     out + feed
///     not out error
///
///     == seeds/categories.json
///     [ … ]
///
/// A line with `$` runs the tool with those words in a scratch folder holding the files below `==`. The lines
/// after it say what must hold: `exit N` (0 unless given), `out TEXT` and `err TEXT` (the stream contains the
/// text), `not out TEXT`, `not err TEXT`.
struct Scenario: CustomTestStringConvertible, Sendable {
  struct Step {
    var line: Int
    var words: [String]
    var exit: Int32 = 0
    var expectations: [Expectation] = []
  }

  struct Expectation {
    var line: Int
    var stream: Stream
    var text: String
    var isWanted: Bool
  }

  enum Stream: String { case out, err }

  let name: String
  var steps: [Step] = []
  var files: [(path: String, text: String)] = []

  var testDescription: String { name }
}

extension Scenario {
  struct Malformed: Error { let file: String, line: Int, text: String }

  static func loadAll(in folder: String) throws -> [Scenario] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".scenario") }.sorted()
      .map {
        try Scenario(
          name: String($0.dropLast(9)), text: String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
      }
  }

  init(name: String, text: String) throws {
    self.name = name
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("== ") {
        files.append((String(line.dropFirst(3)), ""))
      } else if !files.isEmpty {
        files[files.count - 1].text += line + "\n"
      } else if !line.isEmpty, !line.hasPrefix("#") {
        guard try read(String(line), at: index + 1) else {
          throw Malformed(file: name, line: index + 1, text: String(line))
        }
      }
    }
  }

  private mutating func read(_ line: String, at number: Int) throws -> Bool {
    if line.hasPrefix("$ ") {
      steps.append(Step(line: number, words: Scenario.words(of: line.dropFirst(2))))
      return true
    }
    guard !steps.isEmpty else { return false }
    if line.hasPrefix("exit "), let code = Int32(line.dropFirst(5)) {
      steps[steps.count - 1].exit = code
      return true
    }
    let isWanted = !line.hasPrefix("not ")
    let rest = isWanted ? line : String(line.dropFirst(4))
    guard let stream = Stream(rawValue: String(rest.prefix(3))), rest.dropFirst(3).hasPrefix(" ") else {
      return false
    }
    steps[steps.count - 1].expectations.append(
      Expectation(line: number, stream: stream, text: String(rest.dropFirst(4)), isWanted: isWanted))
    return true
  }

  /// Words separated by spaces; single quotes keep spaces together.
  private static func words(of line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
      index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }
}
