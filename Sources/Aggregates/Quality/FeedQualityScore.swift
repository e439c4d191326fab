public import Catalog
public import CloudKitModel
public import Diagnostics

/// The quality score of a feed, 0...100, with its parts.
public struct FeedQualityScore: Sendable, Hashable {
  public var profile: QualityProfile.Name
  /// The number of checks so far. The more checks, the more the parts count.
  public var observations: Int64
  public var parts: [QualityPart]
  /// The weighted mean of the parts, 0...100.
  public var raw: Double
  /// `raw`, close to 50 while there are few checks, 0...100. Says nothing without ``observations``.
  public var score: Double

  /// Scores a feed: (n * raw + 2 * 50) / (n + 2) after n checks. For the same number of checks, the score never falls
  /// when a part grows. A feed that is down has at most 49, and with the profile `signals` one that is healthy has at
  /// least 55 (Documentation/reference/feeds.md#signals-profile).
  public init(_ inputs: QualityScoreInputs, profile: QualityProfile, now: Timestamp) {
    self.profile = profile.name
    let checked = inputs.days.reduce(0) { $0 + $1.successes + $1.failures }
    observations = max(inputs.attempts, checked)
    parts = QualityPart.Name.allCases.compactMap { name in
      profile.weights[name].map {
        QualityPart(name, value: name.value(inputs, profile.name, now: now), weight: $0)
      }
    }
    let weight = parts.reduce(0) { $0 + $1.weight }
    raw = weight > 0 ? parts.reduce(0) { $0 + $1.value * $1.weight } / weight * 100 : profile.priorScore
    let n = Double(observations)
    let shrunk = (n * raw + profile.priorWeight * profile.priorScore) / (n + profile.priorWeight)
    switch inputs.status {
    case .down: score = min(shrunk, profile.maxScoreWhenDown)
    case .healthy: score = max(shrunk, profile.minScoreWhenHealthy)
    default: score = shrunk
    }
  }

  /// The stored value: a whole number for INT64, one decimal for DOUBLE, so that a small change writes nothing.
  /// `nil` for a feed never checked, of which nothing is known.
  public func value(as type: ScalarType) -> FieldValue? {
    guard observations > 0 else { return nil }
    return type == .double ? .double((score * 10).rounded() / 10) : .int64(Int64(clamping: score))
  }

  public var json: JSONValue {
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
    switch self {
    case .reliability where profile == .celestra:
      QualityPartFormulas.successRate(successes: inputs.successes, attempts: inputs.attempts)
    case .reliability: QualityPartFormulas.reliability(inputs, today: now.milliseconds / 86_400_000)
    case .freshness:
      QualityPartFormulas.freshness(
        newest: inputs.newestItem?.milliseconds, now: now.milliseconds, medianGap: inputs.medianGap)
    case .cadence, .consistency: QualityPartFormulas.cadence(variation: inputs.gapVariation)
    case .validity: QualityPartFormulas.share(inputs.validity)
    case .completeness: QualityPartFormulas.share(inputs.completeness)
    case .fullContent: QualityPartFormulas.share(inputs.fullContent)
    case .transport: QualityPartFormulas.share(inputs.transport)
    case .idHygiene: QualityPartFormulas.share(inputs.idHygiene)
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
public struct QualityScoreInputs: Sendable, Hashable {
  /// All checks so far, and how many of them succeeded.
  public var attempts: Int64 = 0
  public var successes: Int64 = 0
  /// The last 30 days of checks; empty when only the totals are known.
  public var days: [DailyCheckCounts] = []
  public var subscribers: Int64 = 0
  public var isVerified = false
  /// What the last checks found; `nil` when nothing is recorded.
  public var status: Status?

  /// The results of health checks that bound a score.
  public enum Status: String, Sendable, Hashable {
    case healthy, degraded, down
  }
  /// Measured by health checks, 0...1 each.
  public var validity: Double?
  public var completeness: Double?
  public var fullContent: Double?
  public var transport: Double?
  public var idHygiene: Double?
  /// Median time between items, in seconds.
  public var medianGap: Double?
  /// Standard deviation of the gaps divided by their mean.
  public var gapVariation: Double?
  /// Date of the newest item.
  public var newestItem: Timestamp?

  public init() {}

  /// Reads a feed record and its health record, which may be the same. Counts are limited to values that are possible.
  public init(feed: Record, metadata: Record?) {
    subscribers = max(0, feed["subscriberCount"]?.int64 ?? 0)
    isVerified = feed["isVerified"]?.flag ?? false
    guard let metadata else { return }
    status = metadata["healthStatus"]?.string.flatMap(Status.init)
    attempts = max(0, metadata["totalAttempts"]?.int64 ?? 0)
    successes = min(attempts, max(0, metadata["successfulAttempts"]?.int64 ?? 0))
    days = (metadata["dailyChecks"]?.elements ?? []).compactMap {
      $0.int64.map(DailyCheckCounts.init(packed:))
    }
    validity = metadata["validity"]?.number
    completeness = metadata["completeness"]?.number
    fullContent = metadata["fullContent"]?.number
    transport = metadata["transportQuality"]?.number
    idHygiene = metadata["idHygiene"]?.number
    medianGap = metadata["medianItemGap"]?.number
    gapVariation = metadata["itemGapVariation"]?.number
    newestItem = metadata["newestItem"]?.timestamp
  }

  static let metadataFields = [
    "healthStatus",
    "totalAttempts", "successfulAttempts", "dailyChecks", "validity", "completeness", "fullContent",
    "transportQuality", "idHygiene", "medianItemGap", "itemGapVariation", "newestItem",
  ]
}

/// A named part of a quality score.
public struct QualityPart: Sendable, Hashable {
  /// The names of the parts, as in reports and settings.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case reliability, freshness, cadence, validity, completeness, fullContent, transport, idHygiene,
      popularity
    case consistency, verification
  }

  public var name: Name
  /// 0...1.
  public var value: Double
  public var weight: Double

  public init(_ name: Name, value: Double, weight: Double) {
    self.name = name
    self.value = value
    self.weight = weight
  }
}

/// The parts of a score and their weights.
public struct QualityProfile: Sendable, Hashable {
  /// The names of the built-in profiles.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    /// What health checks measured (Documentation/reference/feeds.md#signals-profile).
    case signals
    /// The weights of the Celestra documents (Documentation/reference/feeds.md#celestra-profile).
    case celestra
  }

  public var name: Name
  /// Not negative, and not all 0. Only their proportions matter.
  public var weights: [QualityPart.Name: Double]
  /// How many checks the score of 50 is worth, toward which few checks draw.
  public var priorWeight = 2.0
  public var priorScore = 50.0
  /// The bounds that the last result of health checks sets.
  public var maxScoreWhenDown = 49.0
  public var minScoreWhenHealthy: Double { name == .signals ? 55 : 0 }

  public init(_ name: Name) {
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
