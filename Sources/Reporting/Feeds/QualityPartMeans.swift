internal import Aggregates

/// The mean of each part of the quality score, over the feeds that were checked.
struct QualityPartMeans: Sendable, Hashable {
  /// A part of the score, with its mean and its weight.
  struct Part: Sendable, Hashable {
    var name: String
    /// In percent.
    var mean: Int
    var weight: Int
  }

  private(set) var parts: [Part]
  let feeds: Int

  init(_ feeds: [ReportedFeed]) {
    let scores = feeds.compactMap(\.score)
    self.feeds = scores.count
    parts = (scores.first?.parts ?? []).enumerated().map { index, part in
      let sum = scores.reduce(0) { $0 + $1.parts[index].value }
      return Part(
        name: part.name.words, mean: Int((sum / Double(scores.count) * 100).rounded(.down)),
        weight: Int(part.weight))
    }
  }
}

extension QualityPart.Name {
  /// In words, for people.
  var words: String {
    switch self {
    case .fullContent: "full content"
    case .idHygiene: "item ids"
    default: rawValue
    }
  }
}
