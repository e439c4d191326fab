import CloudKitModel
import Testing

@testable import CloudKitClient

@Suite(.timeLimit(.minutes(1))) struct CircuitBreakerTests {
  private let time = FakeTime()
  private let breaker: CircuitBreaker

  init() { breaker = CircuitBreaker(CircuitBreaker.Settings(), time: time) }

  @Test("the fifth failure in a row opens it for a minute, to the last second")
  func opens() async throws {
    for number in 1...4 {
      breaker.failed()
      #expect(try await breaker.admit() == .go, "\(number)")
    }
    breaker.succeeded()
    for _ in 1...5 { breaker.failed() }
    #expect(try await breaker.admit() == .refused(.seconds(60)))
    // Further failures change nothing.
    try await time.sleep(for: .seconds(59))
    breaker.failed()
    #expect(try await breaker.admit() == .refused(.seconds(1)))
    try await time.sleep(for: .seconds(1))
    #expect(try await breaker.admit() == .go)
  }

  @Test(
    "a probe that fails opens it again, one that succeeds closes it, and one without a result leaves the next to probe"
  )
  func probes() async throws {
    for _ in 1...5 { breaker.failed() }
    try await time.sleep(for: .seconds(60))
    #expect(try await breaker.admit() == .go)
    breaker.failed()
    #expect(try await breaker.admit() == .refused(.seconds(60)))
    try await time.sleep(for: .seconds(60))
    #expect(try await breaker.admit() == .go)
    breaker.recordInconclusive()
    #expect(try await breaker.admit() == .go)
    breaker.succeeded()
    for _ in 1...4 { breaker.failed() }
    breaker.recordInconclusive()
    #expect(try await breaker.admit() == .go)
  }

  @Test("how long it will rest after further failures")
  func rest() async throws {
    func rests(_ further: [Int]) -> [Duration] { further.map { breaker.rest(afterFurtherFailures: $0) } }
    #expect(rests([0, 1, 4, 5, 6]) == [.zero, .zero, .zero, .seconds(60), .seconds(60)])
    for _ in 1...4 { breaker.failed() }
    #expect(rests([0, 1, 2]) == [.zero, .seconds(60), .seconds(60)])
    breaker.failed()
    #expect(rests([0, 1]) == [.seconds(60), .seconds(60)])
    try await time.sleep(for: .seconds(45))
    #expect(rests([0, 1]) == [.seconds(15), .seconds(60)])
    try await time.sleep(for: .seconds(45))
    #expect(rests([0, 1]) == [.zero, .seconds(60)])
    #expect(try await breaker.admit() == .go)
    #expect(rests([0, 1]) == [.zero, .seconds(60)])
  }
}
