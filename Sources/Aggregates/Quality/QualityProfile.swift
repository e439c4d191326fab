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
  /// How many checks the default score is worth.
  public var priorWeight = 5.0
  /// The score of a feed without checks, 0...100.
  public var priorScore = 50.0

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
