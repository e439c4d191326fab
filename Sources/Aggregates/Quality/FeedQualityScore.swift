internal import Catalog
package import CloudKitModel
package import Diagnostics
package import FeedState
package import SchemaLanguage

/// The quality score of a feed, 0...100, with its parts.
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
  package init(_ inputs: QualityScoreInputs, profile: QualityProfile, now: Timestamp) {
    self.profile = profile.name
    let checked = inputs.state.history.days.reduce(0) { $0 + $1.successes + $1.failures }
    observations = max(inputs.state.totalAttempts, checked)
    parts = QualityPart.Name.allCases.compactMap { name in
      profile.weights[name].map {
        QualityPart(name: name, value: name.value(inputs, profile.name, now: now), weight: $0)
      }
    }
    let weight = parts.reduce(0) { $0 + $1.weight }
    raw = weight > 0 ? parts.reduce(0) { $0 + $1.value * $1.weight } / weight * 100 : profile.priorScore
    let n = Double(observations)
    let shrunk = (n * raw + profile.priorWeight * profile.priorScore) / (n + profile.priorWeight)
    switch inputs.state.status {
    case .down: score = min(shrunk, profile.maxScoreWhenDown)
    case .healthy: score = max(shrunk, profile.minScoreWhenHealthy)
    default: score = shrunk
    }
  }

  /// The stored value: a whole number for INT64, one decimal for DOUBLE, so that a small change writes nothing.
  /// `nil` for a feed never checked, of which nothing is known.
  package func value(as type: ScalarType) -> FieldValue? {
    guard observations > 0 else { return nil }
    return type == .double ? .double((score * 10).rounded() / 10) : .int64(Int64(clamping: score))
  }

  package var json: JSONValue {
    [
      "profile": .string(profile.rawValue), "observations": .integer(observations),
      "parts": .array(
        parts.map {
          [
            "name": .string($0.name.rawValue), "value": .double($0.value.roundedToThousandths),
            "weight": .double($0.weight),
          ]
        }), "raw": .double(raw.roundedToThousandths),
      "score": observations > 0 ? .double(score.roundedToThousandths) : .null,
    ]
  }
}

extension QualityPart.Name {
  func value(_ inputs: QualityScoreInputs, _ profile: QualityProfile.Name, now: Timestamp) -> Double {
    let state = inputs.state
    return switch self {
    case .reliability where profile == .celestra:
      QualityPartFormulas.successRate(successes: state.successfulAttempts, attempts: state.totalAttempts)
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
      QualityPartFormulas.celestraPopularity(subscribers: inputs.subscribers)
    case .popularity: QualityPartFormulas.popularity(subscribers: inputs.subscribers)
    case .verification: inputs.isVerified ? 1 : 0
    }
  }
}

extension Double {
  fileprivate var roundedToThousandths: Double { (self * 1000).rounded() / 1000 }
}

/// The facts about a feed from which its score is computed. An absent value is unknown, not bad.
package struct QualityScoreInputs: Sendable, Hashable {
  /// What health checks recorded.
  package var state: FeedMetadata
  package var subscribers: Int64
  package var isVerified: Bool

  package init(state: FeedMetadata, subscribers: Int64, isVerified: Bool) {
    self.state = state
    self.subscribers = subscribers
    self.isVerified = isVerified
  }

  static let stateFields = [
    "healthStatus",
    "totalAttempts", "successfulAttempts", "dailyChecks", "validity", "completeness", "fullContent",
    "transportQuality", "idHygiene", "medianItemGap", "itemGapVariation", "newestItem",
  ]
}

package struct QualityPart: Sendable, Hashable {
  /// The names of the parts, as in reports and settings.
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

/// The parts of a score and their weights.
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
  /// How many checks the score of 50 is worth, toward which few checks draw.
  package var priorWeight = 2.0
  package var priorScore = 50.0
  /// The bounds that the last result of health checks sets.
  package var maxScoreWhenDown = 49.0
  package var minScoreWhenHealthy: Double { name == .signals ? 55 : 0 }

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

/// The record types and fields that hold feeds, their health and their scores.
package struct QualityRecordMapping: Sendable, Hashable {
  let feeds: FeedRecordMapping
  package var feedType: String { feeds.recordType }
  package var title: String { feeds.title }
  package var subscriberCount: String { feeds.subscriberCount }
  package let scoreField = "qualityScore"
  /// `nil` when the feed record itself holds its health.
  package var metadataType: String? { feeds.stateType }
  /// The field of the health record that refers to the feed.
  package let feedReference = "feedReference"

  init(_ feeds: FeedRecordMapping) { self.feeds = feeds }

  /// The layout that fits a schema: PublicFeed with FeedMetadata, or Feed alone
  /// (Documentation/reference/catalog.md#record-types).
  ///
  /// - Parameter feeds: the types and fields of the project's feeds, in place of these.
  package static func builtIn(for schema: Schema, feeds: FeedRecordMapping? = nil) -> QualityRecordMapping? {
    let layouts = feeds.map { [Self($0)] } ?? [Self(.celestra), Self(.celestraCloud)]
    return layouts.first { layout in
      schema[recordType: layout.feedType]?[field: layout.scoreField] != nil
    }
  }
}
