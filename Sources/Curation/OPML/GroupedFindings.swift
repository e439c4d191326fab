internal import Diagnostics

/// Findings of an import by cause: one line and one remedy for each, however many outlines have it.
struct GroupedFindings {
  /// In the order of their first finding, the most severe first.
  private let groups: [[Diagnostic]]
  private static let maxPlaces = 5

  init(_ findings: [Diagnostic]) {
    var places: [String: Int] = [:]
    var groups: [[Diagnostic]] = []
    for finding in findings {
      // Another remedy, or another ending such as ": HTTP 404", is another cause.
      let key = "\(finding.code) \(finding.help ?? "") \(Self.ending(of: finding.message))"
      if let place = places[key] {
        groups[place].append(finding)
      } else {
        places[key] = groups.count
        groups.append([finding])
      }
    }
    self.groups = groups.enumerated().sorted {
      ($1.element[0].severity, $0.offset) < ($0.element[0].severity, $1.offset)
    }.map(\.element)
  }

  /// What follows the last name in quotes and a colon; empty for a message that gives no such reason.
  private static func ending(of message: String) -> Substring {
    let rest = message.split(separator: "'", omittingEmptySubsequences: false).last ?? ""
    guard let colon = rest.firstIndex(of: ":") else { return "" }
    return rest[colon...]
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    groups.map { Self.text($0, style) }.joined()
  }

  private static func text(_ group: [Diagnostic], _ style: TerminalStyle) -> PrintableText {
    let first = group[0]
    let word: PrintableText = "\(first.severity.rawValue)[\(first.code)]"
    let mark = first.severity == .error ? style.red(word) : style.yellow(word)
    let lines = group.compactMap { $0.range?.start.line }
    let shown = lines.prefix(maxPlaces).map(String.init).joined(separator: ", ")
    let more = lines.count > maxPlaces ? " and \(lines.count - maxPlaces) more" : ""
    let place = lines.isEmpty ? "" : lines.count == 1 ? "line \(shown)" : "lines \(shown)\(more)"
    var text: PrintableText =
      group.count == 1
      ? "\(mark): \(first.message)\(place.isEmpty ? "" : " (\(place))")\n"
      : "\(mark): \(group.count) times: \(first.message)\(place.isEmpty ? "" : " (\(place))")\n"
    if let help = first.help { text += "  \(style.dim("help: \(help)"))\n" }
    return text
  }
}
