import CloudKitModel
import Diagnostics
import Testing

@testable import People

@Suite struct PersonSearchReportTests {
  static let container = ContainerIdentity(name: "memory:", environment: .development)

  private let report = PersonSearchPlan(types: [
    TypeSearchPlanTests.plan("FeedSubscription", .index, namedAfter: ["PublicFeed"]),
    TypeSearchPlanTests.plan("Chat", .scan, identifiers: ["userId", "nick"], mayDelete: .unknown),
    TypeSearchPlanTests.plan("Session", .not, .denied, mayDelete: .no),
  ]).report(in: container)

  @Test("JSON says the same of each type")
  func json() {
    let types = report.json["types"]?.array ?? []
    #expect(
      types.map { $0.text() } == [
        #"{"type":"FeedSubscription","identifiers":[],"mayErase":"yes","searchedBy":"index","derivedNames":true}"#,
        #"{"type":"Chat","identifiers":["userId","nick"],"mayErase":"unknown","searchedBy":"scan","derivedNames":false}"#,
        #"{"type":"Session","identifiers":[],"mayErase":"no","searchedBy":"not","derivedNames":false,"problem":"this key may not read it, and no role may: grant READ to one in the schema"}"#,
      ])
    #expect(report.json["complete"] == false && !report.isConfirmation && report.status == .findings)
    let complete = PersonSearchPlan(types: []).report(in: Self.container)
    #expect(complete.json["complete"] == true && complete.isConfirmation && complete.status == .done)
  }

  @Test(
    "the places to look through by hand name the other environment",
    arguments: [(.development, "production"), (.production, "development")] as [(Environment, String)])
  func places(environment: Environment, other: String) {
    let places = PersonalDataPlaces(
      ContainerIdentity(name: "memory:", environment: environment),
      mirrors: [("/m.sqlite", ["Chat", "Note"])])
    let lines = places.body.text().description.split(separator: "\n")
    #expect(lines.count == 13)
    #expect(lines[0] == "Copies to look through by hand:" && lines[6] == "What this tool cannot reach:")
    #expect(
      lines[1].contains("/m.sqlite, with Chat, Note: renew it with 'container backup /m.sqlite --deletions'"))
    #expect(lines[2] == "  · the \(other) environment, where the person has another user record name")
    #expect(lines[7] == "  · the person's private database, and zones that are shared with them")
  }
}
