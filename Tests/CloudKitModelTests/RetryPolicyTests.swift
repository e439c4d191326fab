import CloudKitModel
import Testing

@Suite("Retry policy") struct RetryPolicyTests {
  private let policy = RetryPolicy(
    attempts: 3, firstWait: .seconds(1), maxWait: .seconds(3), patience: .seconds(10))

  @Test("waits double up to the longest one, each a share of it, and end with the attempts")
  func waits() {
    func wait(_ attempt: Int, share: Double = 1) -> Duration? {
      var policy = policy
      policy.attempts = 5
      return policy.wait(afterAttempt: attempt, retryAfter: nil, waited: .zero, share: share)
    }
    #expect((1...5).map { wait($0) } == [.seconds(1), .seconds(2), .seconds(3), .seconds(3), nil])
    #expect(wait(2, share: 0.25) == .milliseconds(500))
    #expect(wait(1, share: 0) == .zero)
  }

  @Test("the service's wish is obeyed to the end of the patience, and not a bit beyond")
  func patience() {
    func wait(_ seconds: Int, after waited: Int) -> Duration? {
      policy.wait(afterAttempt: 1, retryAfter: .seconds(seconds), waited: .seconds(waited), share: 0)
    }
    #expect(wait(10, after: 0) == .seconds(10))
    #expect(wait(11, after: 0) == nil)
    #expect(wait(4, after: 6) == .seconds(4))
    #expect(wait(4, after: 7) == nil)
    #expect(
      policy.permits(.seconds(4), after: .seconds(6)) && !policy.permits(.seconds(5), after: .seconds(6)))
  }

  @Test("the budgets are those that the guides name")
  func budgets() {
    #expect(
      RetryPolicy.requests
        == RetryPolicy(
          attempts: 6, firstWait: .milliseconds(500), maxWait: .seconds(30), patience: .seconds(180)))
    #expect(RetryPolicy.records.attempts == 5 && RetryPolicy.records.patience == .seconds(180))
    #expect(RetryPolicy.lostReplies == RetryPolicy(attempts: 10))
    #expect(
      RetryPolicy.leases
        == RetryPolicy(
          attempts: 3, firstWait: .milliseconds(200), maxWait: .seconds(2), patience: .seconds(10)))
  }

  @Test("a lease is not waited for as long as a holder may be silent")
  func leases() {
    #expect(RetryPolicy.leases.patience < .seconds(40))
  }

  @Test("who gave up says when to try again, after the wait of the service and not before")
  func unavailable() {
    func hint(_ retryAfter: Duration?, _ hint: String? = nil) -> String? {
      ContainerFailure.unavailable("busy", retryAfter: retryAfter, hint: hint).hint
    }
    #expect(hint(nil) == "Run the command again later.")
    #expect(hint(.milliseconds(5900)) == "Run the command again in 6 seconds or later.")
    #expect(hint(.zero) == "Run the command again in 1 seconds or later.")
    #expect(hint(nil, "wait") == "wait")
  }
}
