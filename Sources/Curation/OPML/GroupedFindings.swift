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

  /// A few outlines that are broken off are printed one by one, because only the name says what is lost.
  private static func named(_ group: [Diagnostic]) -> [[Diagnostic]] {
    let isNamed = group[0].code == CurationRule.brokenOutline.rawValue && group.count <= maxPlaces
    return isNamed ? group.map { [$0] } : [group]
  }

  /// ` (lines 2, 3 and 4 more)`
  private static func place(_ lines: ArraySlice<Int>) -> String {
    guard !lines.isEmpty else { return "" }
    let shown = lines.prefix(maxPlaces).map(String.init).joined(separator: ", ")
    let more = lines.count > maxPlaces ? " and \(lines.count - maxPlaces) more" : ""
    return " (\(lines.count == 1 ? "line" : "lines") \(shown)\(more))"
  }

  var items: [ListItem] {
    groups.flatMap(Self.named).map { group in
      let first = group[0]
      let lines = group.compactMap { $0.range?.start.line }
      let others =
        group.count == 1 ? "" : ", and \(group.count - 1) more like it\(Self.place(lines.dropFirst()))"
      let word = StyledText(
        "\(first.severity.rawValue)[\(first.code)]", first.severity == .error ? .bad : .caution)
      return ListItem(
        "\(word): \(first.message)\(Self.place(lines.prefix(1)))\(others)",
        details: first.help.map { ["\("help: \($0)", .dim)"] } ?? [])
    }
  }
}
