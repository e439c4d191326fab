/// The name and help text of a metric. Names never change, because dashboards and alerts use them. The help text of
/// a name is the same in every file, because node_exporter refuses two texts for one name.
package struct MetricFamily: Sendable, Hashable {
  /// The name without its prefix `celestra_admin_`: `feeds`.
  package let name: String
  /// One sentence without a full stop.
  package let help: String

  package init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

/// A number for monitoring, with its labels. Labels never contain record names, feed URLs or other values that grow
/// with the catalog, because monitoring keeps a series for each label value.
package struct Metric: Sendable, Hashable {
  package struct Label: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var family: MetricFamily
  package var labels: [Label]
  package var value: Double

  package init(_ family: MetricFamily, _ labels: [Label], _ value: Double) {
    self.family = family
    self.labels = labels
    self.value = value
  }

  package init(_ family: MetricFamily, _ value: Double) { self.init(family, [], value) }

  package init(_ family: MetricFamily, _ labels: [Label], _ count: some BinaryInteger) {
    self.init(family, labels, Double(count))
  }

  package init(_ family: MetricFamily, _ count: some BinaryInteger) { self.init(family, [], Double(count)) }
}
