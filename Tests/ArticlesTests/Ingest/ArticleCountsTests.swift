import Diagnostics
import Testing

@testable import Articles

@Suite struct ArticleCountsTests {
  /// Counts in which each has a value of its own.
  private static let all: ArticleCounts = {
    var counts = ArticleCounts()
    (counts.listed, counts.new, counts.changed, counts.same, counts.replaced) = (100, 2, 3, 4, 5)
    (counts.rekeyed, counts.tooOld, counts.noIdentity, counts.repeated, counts.undated) = (6, 7, 8, 9, 10)
    (counts.leftForNextRun, counts.written, counts.failed, counts.cut) = (11, 12, 13, 14)
    return counts
  }()

  @Test("counts begin at nothing, and are added one by one")
  func adding() {
    var sum = ArticleCounts()
    sum.add(Self.all)
    #expect(sum == Self.all)
    sum.add(Self.all)
    #expect(sum.listed == 200 && sum.failed == 26 && sum.rekeyed == 12)
    let zero = ArticleCounts()
    #expect(
      zero.listed + zero.new + zero.changed + zero.same + zero.replaced + zero.rekeyed + zero.tooOld == 0)
    #expect(
      zero.noIdentity + zero.repeated + zero.undated + zero.leftForNextRun + zero.written + zero.failed
        + zero.cut == 0)
  }

  @Test("the sentence names what there is")
  func sentences() {
    #expect(ArticleCounts().summary == "0 items listed; 0 articles written")
    var counts = ArticleCounts()
    (counts.listed, counts.same, counts.written, counts.failed) = (1, 1, 1, 1)
    #expect(counts.summary == "1 item listed: 1 the same; 1 article written, 1 refused")
    #expect(
      Self.all.summary
        == "100 items listed: 2 new, 3 changed, 4 the same, 5 replaced, 6 with a new id, 7 too old, 8 without identity, "
        + "9 repeated, 10 undated and purged before, 11 left for the next run; 12 articles written, 14 texts cut, 13 refused"
    )
  }

  @Test("the JSON has every count")
  func json() {
    let json = Self.all.json
    #expect(json["listed"] == JSONValue(100) && json["failed"] == JSONValue(13))
    #expect(
      json["leftForNextRun"] == JSONValue(11) && json["cut"] == JSONValue(14) && json["truncated"] == nil)
    #expect(
      json["skipped"] == [
        "tooOld": JSONValue(7), "noIdentity": JSONValue(8), "repeated": JSONValue(9),
        "undated": JSONValue(10),
      ])
  }

  @Test("a covered document has the items without an article that its text says, and the others are the same")
  func covered() {
    #expect(Self.all.skippedText == "7,8,9,10")
    let counts = ArticleCounts(listed: 100, skippedText: "7,8,9,10")
    #expect(counts.listed == 100 && counts.same == 66 && counts.skippedText == "7,8,9,10")
    #expect(counts.new == 0 && counts.written == 0)
    for text in ["", "x", "0,0,0,0"] {
      #expect(ArticleCounts(listed: 3, skippedText: text[...]).same == 3, "\(text)")
    }
    #expect(ArticleCounts(listed: 3, skippedText: "4").same == 0)
  }

  @Test("a decision is explained, and an item without an id has a word in its place")
  func decisions() {
    let outcomes: [ArticleDecision.Outcome] = [
      .new, .same, .rekeyed, .replaced, .leftForNextRun, .changed, .changedLater, .skipped("it is old"),
    ]
    let words = outcomes.map { ArticleDecision(feed: "f", guid: "g", outcome: $0).explanation }
    #expect(Set(words).count == outcomes.count && words.last == "skipped: it is old")
    #expect(ArticleDecision(feed: "f", guid: "g", outcome: .new).name == "g")
    #expect(ArticleDecision(feed: "f", guid: "", outcome: .new).name == "(no id)")
  }
}
