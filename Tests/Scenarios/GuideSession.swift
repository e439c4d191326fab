import Foundation
import Testing

/// Sessions of a guide, run one command after the other in one folder.
struct GuideSession {
  /// The path below `Documentation`.
  let page: String
  let steps: [Guide.Step]

  /// The parts of a page, which lines with the marks divide.
  static func parts(of page: String, dividedBy marks: String...) throws -> [GuideSession] {
    let text = try String(
      contentsOf: projectRoot.appending(path: "Documentation/\(page)"), encoding: .utf8)
    let steps = Guide.steps(of: text)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let places = marks.compactMap { mark in lines.firstIndex { $0 == "<!-- \(mark) -->" } }
    try #require(places.count == marks.count && !steps.isEmpty)
    return zip([0] + places, places + [lines.count]).map { start, end in
      GuideSession(page: page, steps: steps.filter { (start..<end).contains($0.line) })
    }
  }

  private static let mark = "----- next command -----"

  /// The script of all commands. ``check(_:)`` reads what it prints.
  var script: String {
    steps.map { "{ \($0.command)\n} 2>&1; echo '\(Self.mark)'\n" }.joined()
  }

  /// Compares what the script printed with what the page shows.
  func check(_ outcome: Tool.Outcome) throws {
    #expect(outcome.status == 0, "\(outcome.err)")
    let seen = outcome.out.components(separatedBy: "\(Self.mark)\n").map(Guide.withoutProgress)
    try #require(seen.count == steps.count + 1, "\(outcome)")
    for (step, seen) in zip(steps, seen) {
      #expect(
        Guide.matches(seen, step.expected),
        "Documentation/\(page):\(step.line): \(step.command)\nprinted\n\(seen)\ninstead of\n\(step.expected)")
    }
  }
}
