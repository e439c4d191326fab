import CloudKitModel
import FeedFetching
import FeedState
import Testing

@testable import FeedHealth

@Suite struct HostQueueTests {
  /// Feeds from their addresses without `http://`. After an `@` stands when they were last requested, and a `!` says that
  /// the answer was 429.
  private func feeds(_ addresses: [String]) -> [FeedCheckTarget] {
    addresses.map { text in
      let parts = text.replacing("!", with: "").split(separator: "@")
      var metadata = FeedMetadata(feed: text)
      if parts.count > 1 {
        metadata.changeTag = "1"
        metadata.lastHealthCheck = Int64(parts[1]).map(Timestamp.init(milliseconds:))
        metadata.httpStatus = text.hasSuffix("!") ? 429 : 200
      }
      let fields: [String: FieldValue] = ["feedURL": .string("http://\(parts[0])")]
      return FeedCheckTarget(
        Record(recordType: "PublicFeed", recordName: text, fields: fields), metadata: metadata, .celestra)
    }
  }

  /// The addresses of each queue, in order.
  private func queues(_ addresses: [String]) -> [[String]] {
    HostQueue.queues(for: feeds(addresses), policy: FetchPolicy(), longestFirst: false).map { queue in
      #expect(queue.isEmpty == (queue.count == 0))
      var list: [String] = []
      while let feed = queue.next() { list.append(String(feed.feedURL.dropFirst("http://".count))) }
      #expect(queue.count == list.count && queue.isEmpty)
      return list
    }
  }

  @Test("each port of this machine is a host of its own")
  func loopback() {
    #expect(
      queues(["127.0.0.1:80/1", "127.0.0.1:81/2", "127.0.0.1:81/3"])
        == [["127.0.0.1:80/1"], ["127.0.0.1:81/2", "127.0.0.1:81/3"]])
  }

  @Test(
    "the feeds of a host come by their last answers; of throttled ones the longest waiting is first, the others last"
  )
  func turns() {
    #expect(queues(["a/1@1!"]) == [["a/1"]])
    #expect(queues(["a/1@9", "a/2", "a/3@5", "b/1@9"]) == [["a/2", "a/3", "a/1"], ["b/1"]])
    #expect(
      queues(["a/1@7!", "a/2@3", "a/3@6!", "a/4@1", "a/5"]) == [["a/3", "a/5", "a/4", "a/2", "a/1"]])
    #expect(queues(["a/1@1!", "a/2@1!"]) == [["a/1", "a/2"]])
  }

  private func assignment(_ addresses: [String], perHost: Int) -> HostAssignment {
    HostAssignment(feeds(addresses), policy: FetchPolicy(), perHost: perHost, longestFirst: false)
  }

  @Test(
    "a host is assigned as often as it may be asked at once, but not more often than it has feeds",
    arguments: [
      (-1, ["a", "b"]), (0, ["a", "b"]), (1, ["a", "b"]), (2, ["a", "a", "b"]), (3, ["a", "a", "a", "b"]),
      (4, ["a", "a", "a", "b"]),
    ])
  func perHost(perHost: Int, expected: [String]) {
    let assignment = assignment(["a/1", "a/2", "a/3", "b/1"], perHost: perHost)
    #expect(assignment.count == expected.count)
    var hosts: [String] = []
    while let queue = assignment.next() { hosts.append(queue.throttle.host) }
    #expect(hosts == expected)
    #expect(assignment.next() == nil)
  }

  @Test("a host gives way to those that wait, unless none waits or it has no more feeds")
  func givingWay() {
    let assignment = assignment(["a/1", "b/1", "b/2", "c/1"], perHost: 1)
    let a = assignment.next()
    let b = assignment.next()
    #expect(b.map(assignment.giveWay) == true)
    _ = a?.next()
    #expect(a.map(assignment.giveWay) == false)
    #expect(assignment.next()?.throttle.host == "c")
    #expect(assignment.next()?.throttle.host == "b")
    #expect(b.map(assignment.giveWay) == false)
    #expect(assignment.next() == nil)
    #expect(b?.isEmpty == false)
  }
}
