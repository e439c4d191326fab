import Diagnostics
import Testing

@testable import FeedState

@Suite struct HealthReasonTests {
  private func reasons(_ isIncluded: (HealthReason) -> Bool) -> Set<HealthReason> {
    Set(HealthReason.allCases.filter(isIncluded))
  }

  @Test(
    "each property holds for its reasons and for no other (Documentation/reference/feeds.md#decisive-reasons, #walls)"
  )
  func properties() {
    let walls: Set<HealthReason> = [.accessDenied, .botWall, .consentPage, .loginPage]
    #expect(reasons(\.isDecisive) == [.gone, .notAFeed, .htmlPage])
    #expect(reasons(\.isRefusal) == walls)
    #expect(reasons(\.isInconclusive) == walls.union([.throttled, .tooLarge]))
    #expect(reasons(\.isConnectionFailure) == [.hostNotFound, .connectionFailed])
    #expect(reasons { $0.kind == .host } == [.hostNotFound, .tlsFailed])
    #expect(reasons { $0.kind == .content } == [.notAFeed, .htmlPage, .emptyDocument])
  }

  @Test("an explanation is the summary without its capital")
  func explanations() {
    #expect(HealthReason.serverError.explanation == "the server reports an error of its own")
    #expect(HealthReason.gone.explanation == "410: the publisher has withdrawn the feed")
  }

  @Test(
    "the reasons that make a feed down are errors, and each rule has an example of what it does not report")
  func severities() {
    #expect(
      reasons { $0.rule.severity == .error }
        == [.gone, .notAFeed, .htmlPage, .failingRepeatedly, .failingForLong, .refusedForLong])
    for reason in HealthReason.allCases {
      #expect(
        reason.rule.example != reason.rule.useInstead && !reason.rule.useInstead.isEmpty, "\(reason.code)")
    }
  }

  /// The numbers of requests in the example of a rule and in that of what to use instead.
  private func requests(_ reason: HealthReason) -> [Int] {
    [reason.rule.example, reason.rule.useInstead].map { $0.split(separator: "GET ").count }
  }

  @Test("the examples have as many checks as their rules are about, and the statuses of their pages")
  func examples() {
    #expect(requests(.failingRepeatedly) == [3, 2])
    #expect(requests(.failingForLong) == [2, 1])
    #expect(requests(.unreliable) == [5, 5])
    #expect(requests(.recovering) == [2, 1])
    #expect(requests(.neglected) == [2, 2])
    #expect(requests(.timedOut) == [1, 1])
    for (reason, code) in [(HealthReason.originDown, 522), (.originTLS, 526), (.originNotFound, 530)] {
      #expect(reason.rule.example.contains("HTTP/1.1 \(code) \(code)\n"), "\(reason.code)")
    }
    #expect(HealthReason.ended.rule.example.contains("\"expired\":true"))
    #expect(HealthReason.ended.rule.useInstead.contains("\"expired\":false"))
  }
}
