/// The name and help text of a metric. Names never change, because dashboards and alerts use them. The help text of
/// a name is the same in every file, because node_exporter refuses two texts for one name.
public struct MetricFamily: Sendable, Hashable {
  /// The name without its prefix `celestra_admin_`: `feeds`.
  public let name: String
  /// One sentence without a full stop.
  public let help: String

  public init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

/// A number for monitoring, with its labels.
///
/// Labels never contain record names, feed URLs or other values that grow with the catalog, because monitoring
/// keeps a series for each label value.
public struct Metric: Sendable, Hashable {
  /// A label of a metric.
  public struct Label: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public var family: MetricFamily
  public var labels: [Label]
  public var value: Double

  public init(_ family: MetricFamily, _ labels: [Label], _ value: Double) {
    self.family = family
    self.labels = labels
    self.value = value
  }

  public init(_ family: MetricFamily, _ value: Double) { self.init(family, [], value) }

  public init(_ family: MetricFamily, _ labels: [Label], _ count: some BinaryInteger) {
    self.init(family, labels, Double(count))
  }

  public init(_ family: MetricFamily, _ count: some BinaryInteger) { self.init(family, [], Double(count)) }
}
