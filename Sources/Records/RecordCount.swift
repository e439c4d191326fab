package import CloudKitModel
package import Diagnostics

/// The report of `records count`: the number of records of a type, in total or for each value of a field.
package struct RecordCount: Report {
  private let recordType: String
  private let field: String?
  package let total: Int
  private let groups: [(value: String, text: String, count: Int)]

  /// Reads every page of the query, with no more of each record than it needs.
  package init(of query: Query, by field: String?, in container: some Container) async throws {
    var total = 0
    var counts: [FieldValue?: Int] = [:]
    try await container.forEachPage(of: query, desiredKeys: field.map { [$0] } ?? []) { page in
      total += page.records.count
      guard let field else { return }
      for record in page.records { counts[record.shownValue(of: field), default: 0] += 1 }
    }
    recordType = query.recordType
    self.field = field
    self.total = total
    groups = counts.map { value, count in
      let text = value?.display ?? ""
      return (value: value?.referredName ?? text, text: text, count: count)
    }.sorted { ($1.count, ExactText($0.text)) < ($0.count, ExactText($1.text)) }
  }

  package var json: JSONValue {
    .object([
      "recordType": recordType.json, "count": total.json, "complete": true, "by": field?.json,
      "groups": field.map { _ in
        .array(groups.map { ["value": $0.value.json, "count": $0.count.json] })
      },
    ])
  }

  package var body: ReportBody {
    var table = Table([.init("records", .right), .init(field ?? "type")])
    for group in groups { table.add("\(group.count)", group.text.isEmpty ? nil : "\(group.text)") }
    table.add("\(total)", "\(field == nil ? recordType : "all")")
    table
  }
}
