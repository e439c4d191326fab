import CloudKitModel
import Diagnostics
import Platform
import Testing

@testable import Aggregates

@Suite struct RecountMetricsTests {
  @Test("metrics, JSON and the line of counts of a recount say the same", arguments: 0..<200)
  func agreement(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func number(_ most: Int64) -> Int64 { Int64.random(in: 0...most, using: &random) }
    var result = RecountResult(aggregate: "subscribers", strategy: .sweep)
    result.sources = number(1 << 60)
    result.targets = number(1_000_000)
    result.changed = number(result.targets)
    result.written = number(result.changed)
    result.conflicts = number(result.changed - result.written)
    result.orphans = number(100)
    result.invalidNames = number(100)
    result.complete = Bool.random(using: &random)
    result.asOf = Timestamp(milliseconds: number(1 << 40))
    result.requests.query = Int(number(1000))
    let outcome = RecountOutcome(phase: .done, result: result)
    let json = outcome.json
    let metrics = outcome.metrics
    func sum(_ family: MetricFamily, _ label: String? = nil) -> Double {
      metrics.filter { $0.family == family && (label == nil || $0.labels.contains { $0.value == label }) }
        .reduce(0) { $0 + $1.value }
    }
    #expect(json["sources"]?.integer.map(Double.init) == sum(RecountOutcome.sourcesFamily))
    #expect(json["targets"]?.integer.map(Double.init) == sum(RecountOutcome.targetsFamily))
    #expect(json["written"]?.integer.map(Double.init) == sum(RecountOutcome.targetsFamily, "written"))
    #expect(json["conflicts"]?.integer.map(Double.init) == sum(RecountOutcome.targetsFamily, "conflict"))
    #expect(json["orphans"]?.integer.map(Double.init) == sum(RecountOutcome.orphansFamily))
    #expect(json["invalidNames"]?.integer.map(Double.init) == sum(RecountOutcome.invalidNamesFamily))
    #expect(json["complete"] == .bool(sum(RecountOutcome.completeFamily) == 1))
    #expect(
      json["requests"]?["query"]?.integer.map(Double.init) == sum(RecountOutcome.requestsFamily, "query"))
    #expect(metrics.allSatisfy { $0.value >= 0 })
    #expect(metrics.allSatisfy { $0.labels.first == .init("aggregate", "subscribers") })
    #expect(outcome.tally?.description.contains(", \(result.written) written") == true)
  }
}
