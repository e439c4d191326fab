internal import Aggregates
internal import Diagnostics

/// The last table of the demo: the feeds with the most subscribers, with their scores.
struct DemoTopFeedsTable {
  let lines: [String]

  /// Reads the JSON that `records query --format json` printed.
  init(_ json: String) throws {
    let records = try JSONValue(parsing: json)["result"]?["records"]?.array ?? []
    let rows = records.map { record -> [String] in
      func value(_ field: String) -> JSONValue? { record["fields"]?[field]?["value"] }
      return [
        value("subscriberCount")?.integer.map(String.init) ?? "0",
        value("qualityScore")?.number.map { QualityScoreReport.decimal($0, 1) } ?? "-",
        value("title")?.string ?? "",
      ]
    }
    lines = ([["readers", "score", "feed"]] + rows).map {
      "\($0[0].leftPadded(to: 7))  \($0[1].leftPadded(to: 5))  \($0[2])"
    }
  }
}
