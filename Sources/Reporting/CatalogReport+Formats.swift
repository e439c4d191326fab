internal import CloudKitModel
public import Diagnostics
internal import FeedHealth
internal import HTMLWriting

extension CatalogReport {
  public func text(_ style: TerminalStyle) -> PrintableText { "\(health.verdict)\n" }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch format {
    case .html: PrintableText(ReportPage(self).html)
    case .markdown: PrintableText(ReportMarkdown(self).text)
    default: text(style)
    }
  }

  public var json: JSONValue {
    var object: JSONObject = [
      "verdict": .string(health.verdict), "asOf": .string(health.asOf.iso8601),
      "feeds": .integer(Int64(feeds.count)),
    ]
    for (key, status) in [("healthy", HealthStatus.healthy), ("degraded", .degraded), ("down", .down)] {
      object[key] = .integer(Int64(health.total[status]))
    }
    object["unchecked"] = .integer(Int64(health.total[.unknown]))
    object["lastRun"] = health.lastRun.map { .string($0.iso8601) }
    object["readers"] = readers.map(JSONValue.integer)
    object["readersAsOf"] = health.readersAsOf.map { .string($0.iso8601) }
    object["medianQuality"] = medianQuality.map { .double(Double($0) / 10) }
    object["overdue"] = overdue.isEmpty ? nil : .array(overdue.map(JSONValue.string))
    object["accounting"] = .string(Self.accounting)
    object["readerDistribution"] = .array(
      distribution.steps.map { ["readers": .string($0.label), "feeds": .integer(Int64($0.feeds))] })
    object["qualityParts"] = .array(
      qualityParts.parts.map {
        [
          "name": .string($0.name), "meanPercent": .integer(Int64($0.mean)),
          "weight": .integer(Int64($0.weight)),
        ]
      })
    object["schemaDrift"] = drift.map { drift in
      ["file": .string(drift.file), "changes": .array(drift.lines.map(JSONValue.string))]
    }
    object["since"] = changes?.json
    object["worst"] = .array(worst.map { .string($0.entry.recordName) })
    object["table"] = .array(feeds.prefix(options.rows ?? .max).map(\.json))
    return .object(object)
  }
}

extension ReportChanges {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["asOf": .string(since.iso8601)]
    object["otherContainer"] = otherSubject.map(JSONValue.string)
    object["readersChange"] = .integer(readers)
    object["moves"] = .array(
      moves.map {
        [
          "recordName": .string($0.feed.entry.recordName), "from": .string($0.before.jsonWord),
          "to": .string($0.feed.entry.status.jsonWord),
        ]
      })
    object["new"] = .array(new.map { .string($0.entry.recordName) })
    object["gone"] = .array(gone.map(JSONValue.string))
    return .object(object)
  }
}

extension HealthStatus {
  /// As `status` writes it.
  fileprivate var jsonWord: String { self == .unknown ? "unchecked" : rawValue }
}

extension ReportedFeed {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "recordName": .string(entry.recordName), "feedURL": .string(entry.feedURL),
      "status": .string(entry.status.jsonWord),
    ]
    object["title"] = entry.title.map(JSONValue.string)
    object["category"] = entry.category.map(JSONValue.string)
    object["statusSince"] = entry.statusSince.map { .string($0.iso8601) }
    object["lastCheck"] = entry.lastCheck.map { .string($0.iso8601) }
    object["uptimePercentage"] = uptime.map { .double(Double($0) / 10) }
    object["days"] = .string(strip.blocks)
    object["quality"] = quality.map { .double(Double($0) / 10) }
    object["readers"] = entry.readers.map(JSONValue.integer)
    object["readersChange"] = readersChange.map(JSONValue.integer)
    object["newestItem"] = entry.metadata.newestItem.map { .string($0.iso8601) }
    if entry.isTroubled { object["reasons"] = .array(entry.reasons.map { .string($0.code) }) }
    object["suggestedURL"] = entry.suggestedURL.map(JSONValue.string)
    return .object(object)
  }
}
