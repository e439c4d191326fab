import Testing

@testable import FeedParsing

@Suite struct DistinctIDCheckTests {
  private func areDistinct(_ ids: [String]) -> Bool {
    let items = ids.map { "<item><guid>\($0)</guid></item>" }.joined()
    let feed = FeedParser.parse("<rss version='2.0'><channel>\(items)</channel></rss>".utf8)
    #expect(feed.items.map(\.id) == ids)
    return DistinctIDCheck.areDistinct(feed.items)
  }

  @Test("ids are distinct unless one is repeated, however many there are and wherever it stands")
  func counts() {
    for count in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 100, 500] {
      let ids = (0..<count).map { "id-\($0)" }
      #expect(areDistinct(ids), "\(count)")
      for place in Set([0, count / 2, count - 1]) where ids.indices.contains(place) {
        #expect(!areDistinct(ids + [ids[place]]), "\(count), \(place)")
      }
    }
  }

  @Test("ids that differ in one place are distinct, whatever their length")
  func lengths() {
    for length in [1, 7, 8, 9, 15, 16, 17, 40] {
      let id = String(repeating: "a", count: length)
      let others = (0..<length).map { index in
        String(id.prefix(index)) + "b" + id.dropFirst(index + 1)
      }
      #expect(areDistinct([id, id + "a"] + others), "\(length)")
      #expect(!areDistinct([id] + others + [id]), "\(length)")
    }
  }
}
