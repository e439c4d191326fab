internal import Catalog
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
  /// `raw`, close to the default score while there are few checks, 0...100.
  public var score: Double

  /// Scores a feed: (n * raw + 5 * 50) / (n + 5) after n checks, so that a feed without checks has 50. For the same
  /// number of checks, the score never falls when a part grows. A feed that is down has at most the score of one
  /// never checked.
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
    score = inputs.isDown ? min(shrunk, profile.priorScore) : shrunk
  }

  /// The stored value: a whole number for INT64, one decimal for DOUBLE, so that a small change writes nothing.
  public func value(as type: ScalarType) -> FieldValue {
    type == .double ? .double((score * 10).rounded() / 10) : .int64(Int64(clamping: score))
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
        }), "raw": .double(raw.roundedToThousandths), "score": .double(score.roundedToThousandths),
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
