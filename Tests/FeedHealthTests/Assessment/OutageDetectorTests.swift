import FeedState
import Testing

@testable import FeedHealth

@Suite struct OutageDetectorTests {
  private typealias History = OutageDetector.History

  private func watch(_ hosts: [(String, History)], sample: Int = 100) -> OutageDetector {
    var thresholds = HealthThresholds()
    thresholds.outageSample = sample
    return OutageDetector(feeds: hosts.map { (host: $0.0, history: $0.1) }, thresholds: thresholds)
  }

  private func watch(_ names: String, _ history: History = .working) -> OutageDetector {
    watch(names.map { (String($0), history) })
  }

  /// Ends the request to each host, and accounts for its one feed.
  private func end(_ hosts: String, reached: Bool, in watch: inout OutageDetector) {
    for host in hosts {
      watch.requestEnded(String(host), reached: reached)
      watch.accounted(String(host))
    }
  }

  @Test("nothing is clear before more than half the hosts that worked were reached")
  func clear() {
    var watch = watch("abcdef")
    for host in "abc" { watch.requestEnded(String(host), reached: true) }
    #expect(watch.verdict(onSample: 0) == .open)
    watch.requestEnded("d", reached: true)
    #expect(watch.verdict(onSample: 0) == .clear)
  }

  @Test("exactly half is an outage, once every feed is accounted for")
  func half() {
    var watch = watch("abcdef")
    end("abc", reached: true, in: &watch)
    end("de", reached: false, in: &watch)
    watch.requestEnded("f", reached: false)
    #expect(watch.verdict(onSample: 0) == .open)
    watch.accounted("f")
    #expect(watch.verdict(onSample: 0) == .outage)
  }

  @Test("with four hosts that worked nothing is an outage; with five all of them are")
  func minimum() {
    #expect(watch("abcd").verdict(onSample: 0) == .clear)
    var five = watch("abcde")
    #expect(five.verdict(onSample: 0) == .open)
    end("abcde", reached: false, in: &five)
    #expect(five.verdict(onSample: 0) == .outage)
  }

  @Test("hosts that failed before say nothing about ours")
  func failing() {
    #expect(watch("abcdefgh", .failing).verdict(onSample: 0) == .clear)
    var mixed = watch([("a", .working), ("b", .working)] + "cdefgh".map { (String($0), History.failing) })
    #expect(mixed.verdict(onSample: 0) == .clear)
    end("cdefgh", reached: false, in: &mixed)
    #expect(mixed.verdict(onSample: 0) == .clear)
  }

  @Test("five hosts never asked before are an outage only while no host is reached")
  func unknown() {
    var none = watch("abcde", .unknown)
    end("abcde", reached: false, in: &none)
    #expect(none.verdict(onSample: 0) == .outage)
    var one = watch("abcdef", .unknown)
    end("abcde", reached: false, in: &one)
    end("f", reached: true, in: &one)
    #expect(one.verdict(onSample: 0) == .clear)
    #expect(watch("abcd", .unknown).verdict(onSample: 0) == .clear)
  }

  @Test("a host worked when one of its feeds did, and answers later count")
  func severalFeeds() {
    var watch = watch([("a", .failing), ("a", .working)] + "bcde".map { (String($0), History.working) })
    #expect(watch.verdict(onSample: 0) == .open)
    for host in "ab" { watch.requestEnded(String(host), reached: false) }
    for host in "abc" { watch.requestEnded(String(host), reached: true) }
    #expect(watch.verdict(onSample: 0) == .clear)
  }

  @Test("a run in which nothing was tried is not an outage, nor one that ends early after good answers")
  func untried() {
    var watch = watch("abcdef")
    for host in "abcdef" { watch.accounted(String(host)) }
    #expect(watch.verdict(onSample: 0) == .clear)
    var early = self.watch("abcdef")
    early.requestEnded("a", reached: true)
    early.close()
    #expect(early.verdict(onSample: 0) == .clear)
  }

  @Test("a run that ends early while nothing is reached is an outage")
  func early() {
    var watch = watch("abcdefgh")
    end("abc", reached: false, in: &watch)
    watch.close()
    #expect(watch.verdict(onSample: 0) == .outage)
  }

  @Test("samples are of at least the size asked for, and judged apart")
  func samples() {
    var watch = watch((0..<25).map { ("h\($0)", .working) }, sample: 10)
    #expect(Set((0..<25).map { watch.sample(of: "h\($0)") }) == [0, 1])
    for index in 0..<10 { watch.requestEnded("h\(index)", reached: true) }
    #expect(watch.verdict(onSample: 0) == .clear)
    #expect(watch.verdict(onSample: 1) == .open)
  }

  @Test("a feed's history takes the place of a worse known one of its host")
  func histories() {
    // Five hosts that worked are needed, and the fifth is known by two feeds.
    for (first, second, counts) in [
      (History.unknown, History.working, true), (.failing, .working, true), (.working, .failing, true),
      (.working, .unknown, true),
      (.failing, .unknown, false), (.unknown, .failing, false),
    ] {
      let watch = watch([("e", first), ("e", second)] + "abcd".map { (String($0), History.working) })
      #expect((watch.verdict(onSample: 0) == .open) == counts)
    }
    // Of five hosts never asked before, one has a feed that failed: then four are too few.
    let mixed = watch([("a", .unknown), ("a", .failing)] + "bcde".map { (String($0), History.unknown) })
    #expect(mixed.verdict(onSample: 0) == .clear)
  }

  @Test("an unreachable host that is reached later counts as reached, and only once")
  func later() {
    var watch = watch("abcdef")
    for host in "abc" { watch.requestEnded(String(host), reached: true) }
    for _ in 0..<3 { watch.requestEnded("d", reached: false) }
    #expect(watch.verdict(onSample: 0) == .open)
    watch.requestEnded("c", reached: false)
    watch.requestEnded("c", reached: true)
    watch.requestEnded("nobody", reached: true)
    #expect(watch.verdict(onSample: 0) == .open)
    watch.requestEnded("d", reached: true)
    #expect(watch.verdict(onSample: 0) == .clear)
  }

  @Test("a run that ends early is an outage from three unreachable hosts on, if they are half of those tried")
  func earlyEnds() {
    for (reached, unreached, verdict) in [
      (0, 2, OutageDetector.Verdict.clear), (0, 3, .outage), (3, 3, .outage), (4, 3, .clear), (3, 4, .outage),
    ] {
      var watch = watch("abcdefghij")
      let hosts = Array("abcdefghij").map(String.init)
      for host in hosts.prefix(reached) { watch.requestEnded(host, reached: true) }
      for host in hosts.suffix(unreached) { watch.requestEnded(host, reached: false) }
      watch.close()
      #expect(watch.verdict(onSample: 0) == verdict, "\(reached), \(unreached)")
    }
  }

  @Test("hosts are dealt to samples in their order, the last of which is the longest")
  func sizes() {
    for (count, size, expected) in [
      (3, 10, [3]), (10, 10, [10]), (19, 10, [19]), (20, 10, [10, 10]), (25, 10, [10, 15]),
      (3, 0, [1, 1, 1]),
    ] {
      let watch = watch((0..<count).map { ("h\($0)", .working) }, sample: size)
      let samples = (0..<count).map { watch.sample(of: "h\($0)") }
      #expect(
        samples == samples.sorted()
          && expected.indices.map { index in samples.count { $0 == index } } == expected, "\(count)")
    }
    #expect(watch([]).verdict(onSample: 0) == .clear)
  }
}
