/// A named part of a quality score.
public struct QualityPart: Sendable, Hashable {
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

/// Which parts make a score, and what each weighs.
public struct QualityProfile: Sendable, Hashable {
  public enum Name: String, Sendable, Hashable, CaseIterable {
    /// What the checks observed (feeds.md section 3.2).
    case signals
    /// The weights of the Celestra documents with each part brought to 0...1 (needs.md C4).
    case celestra
  }

  public var name: Name
  /// Not negative, not all 0; only their proportions matter.
  public var weights: [QualityPart.Name: Double]
  /// Observations that the default score counts for.
  public var priorWeight = 5.0
  /// The score of a feed nobody has observed, 0...100.
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
