package import CloudKitModel
internal import Diagnostics

/// One feed's score, for `--explain`.
package struct ScoreExplanation: Sendable {
  package var recordName: String
  package var title: String?
  package var score: FeedQualityScore
  /// The value in the record now.
  package var stored: FieldValue?
}

extension RecountOutcome {
  /// The lowest score first.
  var sortedExplanations: [ScoreExplanation]? {
    explanations?.sorted { ($1.score.score, $0.recordName) < ($0.score.score, $1.recordName) }
  }

  /// Scores and their parts, a feed a line; empty unless asked for.
  var scoreTable: Table {
    let explanations = sortedExplanations ?? []
    let names = explanations.first?.score.parts.map(\.name.rawValue) ?? []
    var table = Table(
      [.init("score", .right, missing: "not checked yet")] + names.map { .init($0, .right) } + [.init("feed")]
    )
    table.rows = explanations.map { feed in
      let isChecked = feed.score.observations > 0
      let score = isChecked ? StyledText(FeedQualityScore.decimal(feed.score.score, 1)) : nil
      return Table.Row(
        [score] + feed.score.parts.map { StyledText(FeedQualityScore.decimal($0.value, 2)) }
          + [StyledText(feed.title ?? feed.recordName)])
    }
    return table
  }
}

extension FeedQualityScore {
  /// With one decimal place, or two.
  package static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 2 ? 100.0 : 10.0
    let scaled = Int64((value * scale).rounded())
    let fraction = String(abs(scaled) % Int64(scale))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int64(scale)).\(zeros)\(fraction)"
  }
}

extension ScoreExplanation {
  var json: JSONValue {
    var object = score.json.object ?? [:]
    object["recordName"] = .string(recordName)
    object["title"] = title.map(JSONValue.string)
    object["stored"] = stored?.plainJSON
    return .object(object)
  }
}
