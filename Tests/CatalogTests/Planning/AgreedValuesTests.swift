import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Catalog

@Suite struct AgreedValuesTests {
  private let title = SeedFields.celestra.feed[2]

  @Test("what is remembered is read back, beside the time and the commit of the last apply")
  func roundTrip() {
    var values = AgreedValues()
    values.add(.string("Title"), title, of: "b", .pulled)
    values.add(nil, title, of: "a", .applied)
    let applied = LastJobRun(finishedAt: Timestamp(milliseconds: 7), result: [:], revision: "abc")
    let last = values.lastRun(after: applied, at: Timestamp(milliseconds: 9))
    #expect(last.finishedAt == applied.finishedAt && last.revision == "abc")
    var read = AgreedValues(in: last)
    #expect(read != values && read.haveOthers)
    // Another run of the clone that pulled it knows that.
    read.noteOwn(Set(values.lines))
    #expect(read == values)
    #expect(values.lastRun(after: nil, at: Timestamp(milliseconds: 9)).finishedAt.milliseconds == 9)
  }

  @Test("5,000 values are remembered, and a later value of one of them takes its place")
  func limit() {
    var values = AgreedValues()
    for number in 0..<5_001 { values.add(.string("old"), title, of: "record-\(number)", .pulled) }
    #expect(values.match("old", title, of: "record-4999")?.isSame == true)
    #expect(values.match("old", title, of: "record-5000") == nil)
    var later = AgreedValues()
    later.add(.string("new"), title, of: "record-0", .applied)
    later.add(.string("new"), title, of: "another", .applied)
    values.merge(later)
    #expect(values.match("new", title, of: "record-0")?.source == .applied)
    #expect(values.match("new", title, of: "another") == nil)
  }
}
