import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Catalog

@Suite("The plan as a changelog")
struct SeedChangelogTests {
  @Test("each kind of change has its color, and what goes away shows its readers")
  func colors() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var record = MemoryContainer.feed("stray", url: "https://stray.example/", title: "Stray")
    record.fields["subscriberCount"] = .int64(976)
    container.put(record)
    let plan = try await container.plan(.sample, prunes: true)
    let text = SeedChangelog(plan).body.text(TerminalStyle(isColored: true)).description
    #expect(
      text.contains(
        "\u{1B}[31m-\u{1B}[0m \u{1B}[1mfeed Stray\u{1B}[0m loses 976 readers (0 subscriptions, 976 counted at an unknown time)\n"
      ))
    #expect(plan.risks == [.dataLoss, .subscriberLoss])
    #expect(plan.deletionSummary == "deletes 1 of 4 feeds (25 %) and leaves 976 readers behind")
    container.put(
      Record(
        recordType: "AdminLease", recordName: "lease-recount-subscribers",
        fields: [
          "finishedAt": .timestamp(MemoryContainer.evening),
          "result": .string("{\"schemaVersion\":1,\"asOf\":\"\(MemoryContainer.morning.iso8601)\"}"),
        ]))
    let dated = SeedChangelog(try await container.plan(.sample, prunes: true)).text.description
    #expect(dated.contains("976 readers (0 subscriptions, 976 counted 2023-11-14)"))
  }

  @Test(
    "a field that somebody changed in the container since the last apply is marked, an edit of the seeds is not"
  )
  func changedInContainer() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var record = try #require(container[SeedFeed.named("alpha").derivedName])
    record.fields["subtitle"] = .string("by hand")
    container.put(record)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].title = "Edited"
    let planner = SeedPlanner(container: container)
    var records = try await planner.existing()
    var plan = try await planner.plan(catalog, with: &records, at: MemoryContainer.evening)
    let last = LastAgreement(.sample, AgreedValues(), in: records)
    plan.markChanges(since: last, isInGit: true, in: records)
    #expect(!plan.replaces(.unseen))
    let lines = SeedChangelog(plan).text.description.split(separator: "\n")
    #expect(
      lines.contains {
        $0.contains("subtitle") && $0.hasSuffix("(changed in the container since the last apply)")
      })
    #expect(lines.contains { $0.contains("title: \"ALPHA\"") && $0.hasSuffix("\"Edited\"") })
  }

  @Test("text from outside cannot steer the terminal")
  func hostileText() async throws {
    let container = MemoryContainer([
      MemoryContainer.feed("x", url: "https://x.example/", title: "\u{1B}[2Jboo\n\u{202E}kcab")
    ])
    let text = SeedChangelog(try await container.plan(SeedCatalog())).text.description
    #expect(text.contains("feed \"\\u{1B}[2Jboo\\n\\u{202E}kcab\" (x)"))
  }
}
