internal import ArgumentParser
internal import CloudKitModel
internal import PositionedJSON

struct RecordsCount: AdminCommand {
  static let title = "records count"
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Count the records of a type, all of them.",
    discussion: """
      CloudKit cannot count: on the service this reads every page, asking for no more than it needs.

      Example: celestra-admin records count PublicFeed --by language
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The record type.") var recordType: String
  @Option(help: ArgumentHelp("Count for each value of this field.", valueName: "field")) var by: String?
  @Option(help: ArgumentHelp("A condition; all must hold. May be repeated.", valueName: "field OP value"))
  var filter: [String] = []

  func perform(in session: Session) async throws -> CommandResult {
    let container = try await session.container()
    let query = try await session.query(recordType, filters: filter)
    var total = 0
    var groups: [String: Int] = [:]
    try await container.forEachPage(of: query, desiredKeys: by.map { [$0] } ?? []) { page in
      total += page.records.count
      guard let by else { return }
      for record in page.records { groups[record[by]?.display ?? "", default: 0] += 1 }
    }
    return result(total, groups.sorted { ($1.value, $0.key) < ($0.value, $1.key) })
  }

  private func result(_ total: Int, _ groups: [(key: String, value: Int)]) -> CommandResult {
    var json: JSONObject = [
      "recordType": .string(recordType), "count": .integer(Int64(total)), "complete": true,
    ]
    if let by {
      json["by"] = .string(by)
      json["groups"] = .array(groups.map { ["value": .string($0.key), "count": .integer(Int64($0.value))] })
    }
    let lines = groups.map { "\(String($0.value).leftPadded(to: 9))  \($0.key)\n" }.joined()
    return CommandResult(
      json: .object(json), text: "\(lines)\(String(total).leftPadded(to: 9))  \(recordType)\n")
  }
}
