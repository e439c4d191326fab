import CloudKitModel
import ContainerFaults
import LocalContainer
import SchemaLanguage
import Testing

@testable import RecordChanges

@Suite("Readers of records") struct SubscriptionReadersTests {
  private static func count(
    _ subscriptions: Int?, _ published: Int64?, isAtLeast: Bool = false, obstacle: String? = nil
  ) -> ReaderCount {
    var count = ReaderCount(subscriptions: subscriptions, published: published)
    (count.isAtLeast, count.obstacle) = (isAtLeast, obstacle)
    return count
  }

  /// A count, its text with and without the day of the recount, and whether there may be readers.
  static let texts: [(ReaderCount, String, mayHaveReaders: Bool)] = [
    (count(5, nil), "5 readers (5 subscriptions, never counted)", true),
    (count(1, nil), "1 reader (1 subscription, never counted)", true),
    (count(0, nil), "0 readers (0 subscriptions, never counted)", false),
    (count(0, 0), "0 readers (0 subscriptions, counted 2026-11-20)", false),
    (count(0, -3), "0 readers (0 subscriptions, counted 2026-11-20)", false),
    (count(5, 5), "5 readers (5 subscriptions, counted 2026-11-20)", true),
    (count(3, 7), "7 readers (3 subscriptions, 7 counted 2026-11-20)", true),
    (count(7, 3), "7 readers (7 subscriptions, 3 counted 2026-11-20)", true),
    (count(0, 1), "1 reader (0 subscriptions, 1 counted 2026-11-20)", true),
    (count(nil, 7), "7 readers (counted 2026-11-20)", true),
    (count(nil, nil), "0 readers (never counted)", false),
    (count(nil, 7, obstacle: "x"), "7 readers (x, 7 counted 2026-11-20)", true),
    (count(nil, nil, obstacle: "x"), "an unknown number of readers (x, never counted)", true),
    (count(nil, 0, obstacle: "x"), "an unknown number of readers (x, 0 counted 2026-11-20)", true),
    (count(2000, 7, isAtLeast: true), "2,000+ readers (2,000+ subscriptions, 7 counted 2026-11-20)", true),
    (
      count(2000, 2001, isAtLeast: true), "2001+ readers (2,000+ subscriptions, 2001 counted 2026-11-20)",
      true
    ),
    (count(2000, nil), "2000 readers (2000 subscriptions, never counted)", true),
  ]

  @Test("the larger of both counts, with where each comes from", arguments: texts)
  func text(count: ReaderCount, text: String, mayHaveReaders: Bool) {
    #expect(count.text(countedAt: "2026-11-20") == text && count.mayHaveReaders == mayHaveReaders)
    #expect(
      count.text(countedAt: nil)
        == text.replacing("counted 2026-11-20", with: "counted at an unknown time"))
  }

  /// A container in which `a` has so many subscriptions, `b` has one and `c` none.
  private func container(_ subscriptions: Int) async throws -> FaultyContainer {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(
      """
      DEFINE SCHEMA RECORD TYPE FeedSubscription ( "___recordID" REFERENCE QUERYABLE, feedRecordName STRING QUERYABLE,
        GRANT READ, CREATE TO "_icloud" );
      """)
    let records = (0..<subscriptions).map { ("s\($0)", "a") } + [("t", "b")]
    for start in stride(from: 0, to: records.count, by: 200) {
      let outcomes = try await container.modify(
        records[start...].prefix(200).map {
          RecordOperation(
            .create, recordType: "FeedSubscription", recordName: $0.0,
            fields: ["feedRecordName": .string($0.1)])
        })
      for outcome in outcomes { if let error = outcome.error { throw error } }
    }
    return FaultyContainer(container)
  }

  private func counts(
    _ published: [String: Int64?], in container: any Container
  ) async throws -> [String: ReaderCount] {
    try await container.readers(published: published)
  }

  @Test("subscriptions are counted for each record, but not from a published count of 2,000 on")
  func counting() async throws {
    let container = try await container(3)
    let counts = try await counts(["a": nil, "b": 1999, "c": 2000, "d": 5], in: container)
    #expect(
      counts == [
        "a": Self.count(3, nil), "b": Self.count(1, 1999), "c": Self.count(nil, 2000), "d": Self.count(0, 5),
      ])
    #expect(container.requests.count == 1)
    #expect(try await self.counts(["c": 2000], in: container) == ["c": Self.count(nil, 2000)])
    #expect(container.requests.count == 1)
  }

  @Test("a query has at most 100 names", arguments: [(99, 1), (100, 1), (101, 2), (201, 3)])
  func names(count: Int, queries: Int) async throws {
    let container = try await container(0)
    let published = (0..<count).map { ("n\($0)", Int64?.none) }
    let counts = try await counts(Dictionary(uniqueKeysWithValues: published), in: container)
    #expect(container.requests.count == queries && counts.values.allSatisfy { $0.subscriptions == 0 })
  }

  @Test("reading stops at 2,000, and one popular record does not end the count of the others")
  func popular() async throws {
    let container = try await container(2001)
    let counts = try await counts(["a": nil, "b": nil, "c": nil], in: container)
    #expect(
      counts == [
        "a": Self.count(2000, nil, isAtLeast: true), "b": Self.count(1, nil), "c": Self.count(0, nil),
      ])
  }

  @Test(
    "a container that does not answer leaves the subscriptions unknown, and without the type there are none",
    arguments: [
      (.notFound, count(nil, 3)),
      (.accessDenied, count(nil, 3, obstacle: "FeedSubscription records may not be read with this key")),
      (.badRequest, count(nil, 3, obstacle: "FeedSubscription records cannot be searched")),
      (.internalError, nil),
    ] as [(ServerError.Code, ReaderCount?)])
  func refused(code: ServerError.Code, count: ReaderCount?) async throws {
    let container = FaultyContainer(try await container(0).base) { _ in .refuse(ServerError(code, "refused"))
    }
    let counts = try? await counts(["a": 3, "b": 2000], in: container)
    #expect(counts?["a"] == count && counts?["b"] == (count == nil ? nil : Self.count(nil, 2000)))
  }
}
