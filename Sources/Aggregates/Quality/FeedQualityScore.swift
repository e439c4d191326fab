internal import Catalog
package import CloudKitModel
package import Diagnostics
package import FeedState
internal import Platform
package import SchemaLanguage

package struct FeedQualityScore: Sendable, Hashable {
  package var profile: QualityProfile.Name
  /// The number of checks so far. The more checks, the more the parts count.
  package var observations: Int64
  package var parts: [QualityPart]
  /// The weighted mean of the parts, 0...100.
  package var raw: Double
  /// `raw`, close to 50 while there are few checks, 0...100. Says nothing without ``observations``.
  package var score: Double

  /// Scores a feed: (n * raw + 2 * 50) / (n + 2) after n checks. For the same number of checks, the score never falls
  /// when a part grows. A feed that is down has at most 49, and with the profile `signals` one that is healthy has at
  /// least 55 (Documentation/reference/feeds.md#signals-profile).
  ///
  /// - Parameter state: what health checks recorded. An absent value is unknown, not bad.
  package init(
    _ state: FeedMetadata, subscribers: Int64, isVerified: Bool, profile: QualityProfile, now: Timestamp
  ) {
    self.profile = profile.name
    let checked = state.history.days.reduce(0) { $0 + $1.successes + $1.failures }
    observations = max(state.totalAttempts, checked)
    parts = QualityPart.Name.allCases.compactMap { name in
      profile.weights[name].map {
        let value = name.value(state, subscribers, isVerified, profile.name, now: now)
        return QualityPart(name: name, value: value, weight: $0)
      }
    }
    let weight = parts.reduce(0) { $0 + $1.weight }
    raw = weight > 0 ? parts.reduce(0) { $0 + $1.value * $1.weight } / weight * 100 : 50
    let n = Double(observations)
    let shrunk = (n * raw + 2 * 50) / (n + 2)
    switch state.status {
    case .down: score = min(shrunk, 49)
    case .healthy: score = max(shrunk, profile.name == .signals ? 55 : 0)
    default: score = shrunk
    }
  }

  /// The stored value: a whole number for INT64, one decimal for DOUBLE, so that a small change writes nothing.
  /// `nil` for a feed never checked, or without an answer that counts, such as one that only gave 429.
  package func value(as type: ScalarType) -> FieldValue? {
    guard observations > 0 else { return nil }
    return type == .double ? .double((score * 10).rounded() / 10) : .int64(Int64(score.rounded()))
  }

  package var json: JSONValue {
    [
      "profile": profile.rawValue.json, "observations": observations.json,
      "parts": .array(
        parts.map {
          [
            "name": $0.name.rawValue.json, "value": $0.value.roundedToThousandths.json,
            "weight": $0.weight.json,
          ]
        }),
      "raw": raw.roundedToThousandths.json,
      "score": observations > 0 ? .double(score.roundedToThousandths) : .null,
    ]
  }

  static let stateFields = [
    "healthStatus",
    "totalAttempts", "successfulAttempts", "dailyChecks", "validity", "completeness", "fullContent",
    "transportQuality", "idHygiene", "medianItemGap", "itemGapVariation", "newestItem",
  ]

  package static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 2 ? 100.0 : 10.0
    let scaled = Int64((value * scale).rounded())
    let fraction = String(abs(scaled) % Int64(scale))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int64(scale)).\(zeros)\(fraction)"
  }
}

extension QualityPart.Name {
  fileprivate func value(
    _ state: FeedMetadata, _ subscribers: Int64, _ isVerified: Bool, _ profile: QualityProfile.Name,
    now: Timestamp
  ) -> Double {
    switch self {
    case .reliability where profile == .celestra:
      // The share of checks that succeeded; 0 before the first.
      QualityPartFormulas.clamp(Double(state.successfulAttempts) / Double(max(1, state.totalAttempts)))
    case .reliability: QualityPartFormulas.reliability(state, today: now.milliseconds / 86_400_000)
    case .freshness:
      QualityPartFormulas.freshness(
        newest: state.newestItem?.milliseconds, now: now.milliseconds,
        medianGap: state.medianItemGap.map { $0 / .seconds(1) })
    case .cadence, .consistency: QualityPartFormulas.cadence(variation: state.itemGapVariation)
    case .validity: QualityPartFormulas.share(state.validity)
    case .completeness: QualityPartFormulas.share(state.completeness)
    case .fullContent: QualityPartFormulas.share(state.fullContent)
    case .transport: QualityPartFormulas.share(state.transportQuality)
    case .idHygiene: QualityPartFormulas.share(state.idHygiene)
    case .popularity where profile == .celestra:
      QualityPartFormulas.clamp(3 * log10(Double(max(1, subscribers))) / 10)
    case .popularity:
      // 1 at the subscribers with which the other profile's is 1.
      QualityPartFormulas.clamp(log10(1 + Double(max(0, subscribers))) / log10(1 + 2154))
    case .verification: isVerified ? 1 : 0
    }
  }
}

extension Double {
  fileprivate var roundedToThousandths: Double { (self * 1000).rounded() / 1000 }
}

package struct QualityPart: Sendable, Hashable {
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case reliability, freshness, cadence, validity, completeness, fullContent, transport, idHygiene,
      popularity
    case consistency, verification
  }

  package var name: Name
  /// 0...1.
  package var value: Double
  package var weight: Double
}

package struct QualityProfile: Sendable, Hashable {
  package enum Name: String, Sendable, Hashable, CaseIterable {
    /// What health checks measured (Documentation/reference/feeds.md#signals-profile).
    case signals
    /// The weights of the Celestra documents (Documentation/reference/feeds.md#celestra-profile).
    case celestra
  }

  package var name: Name
  /// Not negative, and not all 0. Only their proportions matter.
  package var weights: [QualityPart.Name: Double]

  package init(_ name: Name) {
    self.name = name
    weights =
      switch name {
      case .signals:
        [
          .reliability: 35, .freshness: 15, .cadence: 10, .validity: 10, .completeness: 10, .fullContent: 5,
          .transport: 5, .idHygiene: 5, .popularity: 5,
        ]
      case .celestra: [.reliability: 40, .popularity: 30, .consistency: 20, .verification: 10]
      }
  }
}

extension FeedRecordMapping {
  var scoreField: String { "qualityScore" }

  /// The feeds with scores that a schema has: PublicFeed with FeedMetadata, or Feed alone
  /// (Documentation/reference/catalog.md#record-types).
  package static func scored(in schema: Schema, feeds: FeedRecordMapping? = nil) -> FeedRecordMapping? {
    (feeds.map { [$0] } ?? [.celestra, .celestraCloud]).first {
      schema[recordType: $0.recordType]?[field: $0.scoreField] != nil
    }
  }
}

/// The parts of a quality score: pure functions with values in 0...1. 0.5 means "unknown".
package enum QualityPartFormulas {
  /// The value of a part that was never measured.
  package static let unknown = 0.5

  /// The chance that two checks in a row succeed: the square of the success rate with one success and one failure
  /// added, because few checks prove little. It grows when a failure becomes a success.
  ///
  /// - Parameter successes: 0...total, not necessarily whole, because old checks have less weight.
  package static func twoInARow(successes: Double, total: Double) -> Double {
    let rate = (min(max(0, successes), total) + 1) / (max(0, total) + 2)
    return rate * rate
  }

  /// Reliability over the recorded days, where a day's weight halves every 30 days; over the totals without such days.
  ///
  /// - Parameter today: days since 1970. A recorded day in the future counts as today.
  package static func reliability(_ state: FeedMetadata, today: Int64) -> Double {
    guard state.history.days.contains(where: { $0.successes + $0.failures > 0 }) else {
      return twoInARow(successes: Double(state.successfulAttempts), total: Double(state.totalAttempts))
    }
    var successes = 0.0
    var total = 0.0
    for day in state.history.days {
      let weight = pow(0.5, Double(max(0, today - day.day)) / 30)
      successes += weight * Double(day.successes)
      total += weight * Double(day.successes + day.failures)
    }
    return twoInARow(successes: successes, total: total)
  }

  /// 1 until the newest item is two median gaps old, then falling evenly to 0 at 180 days or ten gaps, whichever is
  /// later. A date in the future counts as now, one at or before 1970 as missing. It never grows with age.
  ///
  /// - Parameters:
  ///   - newest, now: milliseconds since 1970.
  ///   - medianGap: seconds; a week when unknown.
  package static func freshness(newest: Int64?, now: Int64, medianGap: Double?) -> Double {
    guard let newest, newest > 0 else { return unknown }
    let gap = max(0, medianGap ?? 7 * 86_400)
    let age = Double(max(0, now - newest)) / 1000
    let fresh = 2 * gap
    let stale = max(180 * 86_400, 10 * gap)
    return clamp((stale - age) / (stale - fresh))
  }

  /// 1 / (1 + variation): regular gaps score high. Unknown without a variation: a health check records none for fewer
  /// than five dates.
  package static func cadence(variation: Double?) -> Double {
    guard let variation, variation.isFinite else { return unknown }
    return 1 / (1 + max(0, variation))
  }

  /// A measured share, limited to 0...1.
  package static func share(_ value: Double?) -> Double {
    guard let value, value.isFinite else { return unknown }
    return clamp(value)
  }

  static func clamp(_ value: Double) -> Double { min(1, max(0, value)) }
}
