internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct RecordsCount: AdminCommand {
  static let title = "records count"
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Count the records of a type.",
    discussion: """
      CloudKit cannot count: on the service this reads every page, asking for no more than it needs.

      Example: celestra-admin records count PublicFeed --by language
      """)

  @Argument(help: "The record type.", completion: CompletionValues.recordTypes) var recordType: String
  @Option(help: ArgumentHelp("Count for each value of this field.", valueName: "field")) var by: String?
  @Option(help: ArgumentHelp("A condition; all must hold. May be repeated.", valueName: "field OP value"))
  var filter: [String] = []
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecordsCount>

  func perform(in session: Session) async throws -> any Report {
    let container = try await session.container()
    let query = try await session.query(recordType, filters: filter, fields: by.map { [$0] } ?? [])
    var total = 0
    var groups: [FieldValue?: Int] = [:]
    try await container.forEachPage(of: query, desiredKeys: by.map { [$0] } ?? []) { page in
      total += page.records.count
      guard let by else { return }
      for record in page.records { groups[record[by], default: 0] += 1 }
    }
    return result(
      total, groups.map(Group.init).sorted { ($1.count, ExactText($0.text)) < ($0.count, ExactText($1.text)) }
    )
  }

  private struct Group {
    let value: String
    let text: String
    let count: Int

    init(_ value: FieldValue?, _ count: Int) {
      text = value?.display ?? ""
      self.value = value?.string ?? value?.reference?.recordName ?? value?.display ?? ""
      self.count = count
    }
  }

  private func result(_ total: Int, _ groups: [Group]) -> CommandResult {
    var json: JSONObject = [
      "recordType": .string(recordType), "count": .integer(Int64(total)), "complete": true,
    ]
    if let by {
      json["by"] = .string(by)
      json["groups"] = .array(
        groups.map { ["value": .string($0.value), "count": .integer(Int64($0.count))] })
    }
    let lines: [PrintableText] = groups.map { "\(String($0.count).leftPadded(to: 9))  \($0.text)\n" }
    return CommandResult(
      json: .object(json), text: lines.joined() + "\(String(total).leftPadded(to: 9))  \(recordType)\n")
  }
}
