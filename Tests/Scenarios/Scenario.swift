import Foundation
import Testing

/// A scripted run of the tool, as a text file:
///
///     # What a reader should know.
///     $ seed plan seeds --exit-code
///     exit 2
///     out + feed
///     not out error
///     unchanged .celestra/container.sqlite
///
///     % celestra-admin records export | head -1
///
///     == seeds/categories.json
///     [ … ]
///
/// A line with `$` runs the tool with those words in a scratch folder holding the files below `==`; a line with `%`
/// is for the shell. The lines after it say how it is run and what must hold:
///
/// - `env NAME=VALUE` sets a variable, `stdin PATH` gives a file as standard input;
/// - `exit N`: the exit status, 0 unless given;
/// - `out TEXT`, `err TEXT`: the stream contains the text; `out empty`, `err empty`: it is empty;
/// - `keys A B`: standard output is a JSON object with exactly these keys; `keys PATH: A B`: that member of it is one;
/// - `json PATH VALUE`: that member of it, `a.b.0`, is the value;
/// - `file PATH TEXT`: the file contains the text;
/// - `exists PATH`; `unchanged PATH`: the file's bytes are what they were before the run;
/// - `same SPEC`: a container's records are what they were; opening a file for writing may touch the file itself.
///
/// `not` before `out`, `err`, `file` or `exists` turns it round. `{feeds}` and `{records}` are the numbers of the
/// project's seeds, `{feeds+1}` and `{records+1}` one more.
struct Scenario: CustomTestStringConvertible, Sendable {
  struct Step: Sendable {
    enum Action: Sendable { case tool([String]), shell(String) }

    var line: Int
    var text: String
    var action: Action
    var environment: [String: String] = [:]
    var stdin: String?
    var exit: Int32 = 0
    var expectations: [Expectation] = []
  }

  struct Expectation: Sendable {
    enum Kind: String, Sendable { case out, err, keys, json, file, exists, unchanged, same }

    var line: Int
    var kind: Kind
    /// The rest of the line.
    var text: String
    var isWanted: Bool

    /// The text up to the first space, and what follows it.
    var parts: (first: String, rest: String) {
      let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
      return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }
  }

  struct File: Sendable {
    var path: String
    var text = ""
  }

  let name: String
  var steps: [Step] = []
  var files: [File] = []

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
    var text = text
    for (word, count) in [("feeds", ProjectSeeds.feeds), ("records", ProjectSeeds.records)] {
      text.replace("{\(word)}", with: "\(count)")
      text.replace("{\(word)+1}", with: "\(count + 1)")
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("== ") {
        files.append(File(path: String(line.dropFirst(3))))
      } else if !files.isEmpty, !line.hasPrefix("$ "), !line.hasPrefix("% ") {
        files[files.count - 1].text += line + "\n"
      } else if !line.isEmpty, !line.hasPrefix("#") {
        // Below the files a step would never run.
        guard files.isEmpty, read(String(line), at: index + 1) else {
          throw Malformed(file: name, line: index + 1, text: String(line))
        }
      }
    }
  }

  private mutating func read(_ line: String, at number: Int) -> Bool {
    let rest = String(line.dropFirst(2))
    if line.hasPrefix("$ ") {
      steps.append(Step(line: number, text: rest, action: .tool(Scenario.words(of: rest))))
    } else if line.hasPrefix("% ") {
      steps.append(Step(line: number, text: rest, action: .shell(rest)))
    } else if !steps.isEmpty {
      return steps[steps.count - 1].read(line, at: number)
    } else {
      return false
    }
    return true
  }

  /// Words separated by spaces; single quotes keep spaces together.
  private static func words(of line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
      index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }
}

extension Scenario.Step {
  fileprivate mutating func read(_ line: String, at number: Int) -> Bool {
    let isWanted = !line.hasPrefix("not ")
    let words = (isWanted ? line : String(line.dropFirst(4))).split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return false }
    let rest = String(words[1])
    switch words[0] {
    case "exit":
      guard let code = Int32(rest) else { return false }
      exit = code
    case "env":
      let pair = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard pair.count == 2 else { return false }
      environment[pair[0]] = pair[1]
    case "stdin": stdin = rest
    default:
      guard let kind = Scenario.Expectation.Kind(rawValue: String(words[0])) else { return false }
      expectations.append(
        Scenario.Expectation(line: number, kind: kind, text: rest, isWanted: isWanted))
    }
    return true
  }
}
