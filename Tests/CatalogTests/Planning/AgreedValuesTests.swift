import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Catalog

@Suite struct AgreedValuesTests {
  private let now = Timestamp(milliseconds: 1_800_000_000_000)

  @Test("what is remembered is read back, beside the time and the commit of the last apply")
  func roundTrip() {
    var values = AgreedValues(.pulled)
    values.add("Title", "title", of: "b")
    values.add(nil, "subtitle", of: "b")
    values.add(["x"], "tags", of: "a")
    let applied = LastJobRun(finishedAt: Timestamp(milliseconds: 7), result: [:], revision: "abc")
    let last = values.lastRun(after: applied, at: now)
    #expect(last.finishedAt == applied.finishedAt && last.revision == "abc")
    #expect(AgreedValues(.pulled, in: last) == values && AgreedValues(.applied, in: last).isEmpty)
    #expect(values.lastRun(after: nil, at: now).finishedAt == now)
    #expect(values.contains("Title", "title", of: "b") && !values.contains("Title", "title", of: "a"))
    #expect(values.contains(nil, "subtitle", of: "b") && !values.contains("Other", "title", of: "b"))
  }

  @Test("5,000 values are remembered, and a later value of one of them takes its place")
  func limit() {
    var values = AgreedValues(.pulled)
    for number in 0..<5_001 { values.add("old", "title", of: "record-\(number)") }
    #expect(values.contains("old", "title", of: "record-4999"))
    #expect(!values.contains("old", "title", of: "record-5000"))
    var later = AgreedValues(.pulled)
    later.add("new", "title", of: "record-0")
    later.add("new", "title", of: "another")
    values.merge(later)
    #expect(
      values.contains("new", "title", of: "record-0") && !values.contains("new", "title", of: "another"))
  }
}
