internal import CloudKitModel
public import Diagnostics

/// A recount of quality scores with the parts of every score: what `--explain` prints.
public struct QualityScoreReport: Report {
  private let outcome: RecountOutcome
  private let explanations: [QualityRecount.Explanation]

  public init(_ outcome: RecountOutcome, _ explanations: [QualityRecount.Explanation]) {
    self.outcome = outcome
    self.explanations = explanations.sorted {
      ($1.score.score, $0.recordName) < ($0.score.score, $1.recordName)
    }
  }

  public var status: ExitStatus { outcome.status }
  public var failure: CommandFailure? { outcome.failure }

  public var json: JSONValue {
    var json = outcome.json.object ?? [:]
    json["feeds"] = .array(explanations.map(\.json))
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText { outcome.text(style) + table(style) }

  /// Scores and their parts, a feed a line.
  private func table(_ style: TerminalStyle) -> PrintableText {
    guard let first = explanations.first else { return "" }
    let names = first.score.parts.map(\.name.rawValue)
    let head = (["score"] + names).map { $0.leftPadded(to: 7) }.joined(separator: " ")
    let lines = explanations.map { feed -> PrintableText in
      let parts = feed.score.parts.enumerated().map { index, part in
        Self.decimal(part.value, 2).leftPadded(to: max(7, names[index].count))
      }
      let isChecked = feed.score.observations > 0
      let score = (isChecked ? Self.decimal(feed.score.score, 1) : "-").leftPadded(to: 7)
      let note = isChecked ? "" : " (not checked yet)"
      return "\(score) \(parts.joined(separator: " "))  \(feed.title ?? feed.recordName)\(note)\n"
    }
    return style.bold("\(head)") + "\n" + lines.joined()
  }

  /// With one decimal place, or two.
  public static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 2 ? 100.0 : 10.0
    let scaled = Int64((value * scale).rounded())
    let fraction = String(abs(scaled) % Int64(scale))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int64(scale)).\(zeros)\(fraction)"
  }
}

extension QualityRecount.Explanation {
  fileprivate var json: JSONValue {
    var object = score.json.object ?? [:]
    object["recordName"] = .string(recordName)
    object["title"] = title.map(JSONValue.string)
    object["stored"] = stored?.plainJSON
    return .object(object)
  }
}
