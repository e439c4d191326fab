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

/// Numbers with their words, in one line for a monitoring service. Its texts are literals, so that no name, no address and no
/// message can get into it.
package struct Tally: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringInterpolation,
  JoinableText
{
  package private(set) var description: String

  package init(stringLiteral value: StaticString) { description = value.description }
  package init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  package static func += (left: inout Self, right: Self) { left.description += right.description }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
    package mutating func appendInterpolation(_ tally: Tally) { text += tally.description }
    package mutating func appendInterpolation(_ words: StaticString) { text += words.description }
    package mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
    package mutating func appendInterpolation(_ number: some BinaryInteger, _ noun: StaticString) {
      text += counted(number, noun.description)
    }
  }
}
