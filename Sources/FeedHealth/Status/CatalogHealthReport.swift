internal import CloudKitModel
public import Diagnostics
internal import FeedState

/// The report of `status`: the recorded health of the feeds, worst first.
public struct CatalogHealthReport: Report {
  /// The status from which on a feed is a finding.
  public enum FailLevel: String, Sendable, CaseIterable {
    case degraded, down
    /// A feed that was never checked.
    case unchecked
  }

  public let health: CatalogHealth
  private let failLevel: FailLevel?

  public init(_ health: CatalogHealth, failLevel: FailLevel? = nil) {
    self.health = health
    self.failLevel = failLevel
  }

  public var status: ExitStatus {
    let total = health.total
    let isFinding =
      switch failLevel {
      case nil: false
      case .degraded: total[.degraded] + total[.down] > 0
      case .down: total[.down] > 0
      case .unchecked: total[.unknown] > 0
      }
    return isFinding ? .findings : .done
  }

  public var json: JSONValue {
    let total = health.total
    var object: JSONObject = total.json
    object["categories"] = .array(health.counts.map { .object($0.json(named: true)) })
    object["troubled"] = .array(health.troubled.map(\.json))
    object["neverChecked"] = .array(health.unchecked.map(\.json))
    object["oldestCheck"] = health.oldestCheck?.json
    object["lastRun"] = health.lastRun.map { .string($0.iso8601) }
    object["articlesWritten"] = health.articlesWritten.map(JSONValue.integer)
    object["readersAsOf"] = health.readersAsOf.map { .string($0.iso8601) }
    object["overdue"] = .array(overdue.map(JSONValue.string))
    object["asOf"] = .string(health.asOf.iso8601)
    return .object(object)
  }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    format == .markdown ? PrintableText(markdown) : text(style)
  }

  /// Feeds never checked that are listed by name.
  package static let maxListed = 20

  /// The last lines: the age of the checks and counts.
  package var ages: [String] {
    let oldest = health.oldestCheck.flatMap { entry in
      entry.lastCheck.map { "\(age($0)) (\(entry.title ?? entry.feedURL))" }
    }
    return [
      "oldest check: \(oldest ?? "none")",
      "last complete run: \(health.lastRun.map(age) ?? "unknown")"
        + (health.articlesWritten.map { ", \(counted($0, "article")) written" } ?? ""),
      "readers: as of the last recount, \(health.readersAsOf.map(age) ?? "at a time that is not recorded")",
    ]
  }

  /// Sentences about jobs whose last complete run is more than a day ago. Jobs without a recorded run are left out.
  package var overdue: [String] {
    let jobs = [("health check", health.lastRun), ("recount of subscribers", health.readersAsOf)]
    return jobs.compactMap { job, lastRun in
      guard let lastRun, case let age = health.asOf.since(lastRun), age > Self.maxJobAge,
        let words = ReadableDuration.text(age, hoursUpToDays: 3)
      else { return nil }
      return "no complete \(job) for \(words), since \(lastRun.iso8601)"
    }
  }

  /// Jobs run at least every day (Documentation/Operators.md#every-day).
  private static let maxJobAge = Duration.seconds(86_400)

  private func age(_ moment: Timestamp) -> String {
    let words = ReadableDuration.text(health.asOf.since(moment)).map { "\($0) ago" } ?? "just now"
    return "\(words), \(moment.iso8601)"
  }

  /// `down for 3 days, 976 readers`
  package func state(of entry: CatalogHealth.Entry) -> String {
    let lasting =
      entry.statusSince.flatMap { ReadableDuration.text(health.asOf.since($0)) }.map { " for \($0)" } ?? ""
    let readers = entry.readers.map { ", \(counted($0, "reader"))" } ?? ""
    return entry.status.rawValue + lasting + readers
  }

  /// What an editor can do.
  package func advice(for entry: CatalogHealth.Entry) -> String {
    if let url = entry.suggestedURL { return "Change feedURL to \(url)." }
    return entry.reasons.first?.advice ?? "Look at it: health check --force --only \(entry.recordName)"
  }
}

extension CatalogHealth.Count {
  fileprivate var json: JSONObject { json(named: false) }

  fileprivate func json(named: Bool) -> JSONObject {
    var object: JSONObject = named && category != nil ? ["category": .string(category ?? "")] : [:]
    object["feeds"] = JSONValue(feeds)
    for (key, status) in [("healthy", HealthStatus.healthy), ("degraded", .degraded), ("down", .down)] {
      object[key] = JSONValue(self[status])
    }
    object["unchecked"] = JSONValue(self[.unknown])
    return object
  }
}

extension CatalogHealth.Entry {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "recordName": .string(recordName), "feedURL": .string(feedURL),
      "status": .string(status == .unknown ? "unchecked" : status.rawValue),
    ]
    object["title"] = title.map(JSONValue.string)
    object["category"] = category.map(JSONValue.string)
    object["readers"] = readers.map(JSONValue.integer)
    object["statusSince"] = statusSince.map { .string($0.iso8601) }
    object["lastCheck"] = lastCheck.map { .string($0.iso8601) }
    if status.isTroubled { object["reasons"] = .array(reasons.map { .string($0.code) }) }
    object["suggestedURL"] = suggestedURL.map(JSONValue.string)
    return .object(object)
  }
}
