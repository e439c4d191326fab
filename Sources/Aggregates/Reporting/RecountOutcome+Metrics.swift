internal import CloudKitModel
public import Diagnostics

extension RecountOutcome {
  static let sourcesFamily = MetricFamily("recount_sources", "Records that the last recount counted")
  static let targetsFamily = MetricFamily(
    "recount_targets", "Records with a number of the aggregate, by result of the last recount")
  static let orphansFamily = MetricFamily(
    "recount_orphans", "Records that count toward a record that does not exist")
  static let invalidNamesFamily = MetricFamily(
    "recount_invalid_names", "Records that were not counted because of their record name")
  static let completeFamily = MetricFamily(
    "recount_complete", "1 when everything was read and every change is in the container")
  static let asOfFamily = MetricFamily(
    "recount_as_of_timestamp_seconds", "The time for which the numbers of the last recount hold")
  static let requestsFamily = MetricFamily("recount_requests", "Requests of the last recount, by operation")

  /// Each sample names its aggregate, because `recount all` has several in one file.
  public var metrics: [Metric] {
    let aggregate = [Metric.Label("aggregate", result.aggregate)]
    let unchanged = result.targets - result.changed
    let states = [
      ("unchanged", unchanged), ("written", result.written), ("conflict", result.conflicts),
      ("unwritten", result.changed - result.written - result.conflicts),
    ]
    let requests = [
      ("query", result.requests.query), ("lookup", result.requests.lookup),
      ("modify", result.requests.modify),
    ]
    var metrics = [Metric(Self.sourcesFamily, aggregate, result.sources)]
    metrics += states.map { Metric(Self.targetsFamily, aggregate + [.init("state", $0.0)], $0.1) }
    metrics.append(Metric(Self.orphansFamily, aggregate, result.orphans))
    metrics.append(Metric(Self.invalidNamesFamily, aggregate, result.invalidNames))
    metrics.append(Metric(Self.completeFamily, aggregate, result.complete ? 1 : 0))
    if let moment = result.additionsAsOf {
      metrics.append(Metric(Self.asOfFamily, aggregate, Double(moment.milliseconds) / 1000))
    }
    return metrics
      + requests.map { Metric(Self.requestsFamily, aggregate + [.init("operation", $0.0)], $0.1) }
  }

  /// For quality and built-in aggregates alike the name is left out: a declared one may be anything.
  public var tally: String? {
    "\(result.sources) sources, \(result.targets) targets, \(result.changed) changed, \(result.written) written"
  }
}
