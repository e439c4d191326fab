import Foundation

/// Reads the sessions of a guide.
enum Guide {
  static let clock = "2026-11-23T09:00:00Z"
  /// The same in seconds.
  static let now: Int64 = 1_795_424_400

  struct Step {
    let line: Int
    var command: String
    var expected = ""
    let isHidden: Bool
  }

  static func steps(of page: String) -> [Step] {
    var steps: [Step] = []
    var isBlock = false
    // A block with the name of a language is no session.
    var isFenced = false
    var isComment = false
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if isComment {
        isComment = line != "-->"
        if isComment { steps[steps.count - 1].command += "\n\(line)" }
      } else if line.hasPrefix("<!-- run") {
        isComment = true
        steps.append(Step(line: index + 1, command: "", isHidden: true))
      } else if line.hasPrefix("```") {
        isFenced = line == "```" && !isBlock
        isBlock.toggle()
      } else if isFenced, line.hasPrefix("$ ") {
        steps.append(Step(line: index + 1, command: String(line.dropFirst(2)), isHidden: false))
      } else if isFenced, !steps.isEmpty {
        steps[steps.count - 1].expected += "\(line)\n"
      }
    }
    return steps
  }

  static func matches(_ seen: String, _ expected: String) -> Bool {
    let parts = "\n\(timeless(expected))".components(separatedBy: "…").map {
      NSRegularExpression.escapedPattern(for: $0)
    }
    var pattern = parts.joined(separator: "[^\n]*")
    // A line of its own.
    pattern.replace("\n[^\n]*\n", with: "\n(?:[^\n]*\n)*")
    return "\n\(timeless(seen))".range(of: "^\(pattern)\\z", options: .regularExpression) != nil
  }

  /// Without the lines about progress, which only a slow machine has time to show.
  static func withoutProgress(_ text: String) -> String {
    text.replacing(/(?m)^(reading: [0-9]+ records?|[a-z ]+ [0-9]+ (of [0-9]+|done)(, .*)?)\n/, with: "")
  }

  private static func timeless(_ text: String) -> String {
    text.replacing(/[0-9]{8}T[0-9]{6}-[0-9a-f]{6}/, with: "RUN")
  }
}
