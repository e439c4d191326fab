import Testing

@testable import FeedHealth

@Suite struct OutageDetectorTests {
  private func watch(_ hosts: [String], sample: Int = 100) -> OutageDetector {
    var thresholds = HealthThresholds()
    thresholds.outageSample = sample
    return OutageDetector(feedHosts: hosts, thresholds: thresholds)
  }

  @Test("nothing is clear before more than half the hosts were reached")
  func clear() {
    var watch = watch(["a", "b", "c", "d"])
    for host in ["a", "b"] { watch.requestEnded(host, reached: true) }
    #expect(watch.verdict(onSample: 0) == .open)
    watch.requestEnded("c", reached: true)
    #expect(watch.verdict(onSample: 0) == .clear)
  }

  @Test("exactly half is an outage, once every feed is accounted for")
  func half() {
    var watch = watch(["a", "b"])
    watch.requestEnded("a", reached: true)
    watch.accounted("a")
    watch.requestEnded("b", reached: false)
    #expect(watch.verdict(onSample: 0) == .open)
    watch.accounted("b")
    #expect(watch.verdict(onSample: 0) == .outage)
  }

  @Test("a host that answers later was reached")
  func later() {
    var watch = watch(["a", "a"])
    watch.requestEnded("a", reached: false)
    watch.accounted("a")
    watch.requestEnded("a", reached: true)
    #expect(watch.verdict(onSample: 0) == .clear)
  }

  @Test("a run in which nothing was tried is not an outage")
  func untried() {
    var watch = watch(["a", "b"])
    watch.accounted("a")
    watch.accounted("b")
    #expect(watch.verdict(onSample: 0) == .clear)
  }

  @Test("samples are of at least the size asked for, and judged apart")
  func samples() {
    var watch = watch((0..<25).map { "h\($0)" }, sample: 10)
    #expect(Set((0..<25).map { watch.sample(of: "h\($0)") }) == [0, 1])
    for index in 0..<10 { watch.requestEnded("h\(index)", reached: true) }
    #expect(watch.verdict(onSample: 0) == .clear)
    #expect(watch.verdict(onSample: 1) == .open)
  }
}
