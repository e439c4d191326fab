internal import Platform

package struct DemoFeed: Sendable, Hashable {
  /// The first label of the host name: `http://<slug>.localhost:<port>/feed.xml`.
  package var slug: String
  package var title: String
  package var behavior: DemoBehavior

  package init(slug: String, title: String? = nil, behavior: DemoBehavior) {
    self.slug = slug
    self.title = title ?? Self.title(of: slug)
    self.behavior = behavior
  }

  /// The feed of a behavior, with the behavior's name as its slug.
  package init(_ behavior: DemoBehavior) {
    self.init(slug: behavior.name, title: behavior.summary, behavior: behavior)
  }

  private static func title(of slug: String) -> String {
    slug.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
  }
}

/// The feeds of a demo server and their behavior, shared by the server, the demo and the tests.
package struct DemoFeedTable: Sendable {
  package let feeds: [DemoFeed]
  private let bySlug: [String: DemoFeed]

  /// If a slug occurs twice, the first feed wins.
  package init(_ feeds: [DemoFeed]) {
    self.feeds = feeds
    bySlug = Dictionary(feeds.map { ($0.slug, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Gives each of the ``problems`` to one slug, spread evenly, and a correct feed to all others. The same slugs always
  /// give the same table.
  package init(slugs: [String]) {
    let stride = max(1, slugs.count / (Self.problems.count + 1))
    let feeds = slugs.enumerated().map { index, slug in
      let problem = index % stride == stride - 1 ? index / stride : Self.problems.count
      return DemoFeed(
        slug: slug,
        behavior: problem < Self.problems.count ? Self.problems[problem] : Self.format(of: slug))
    }
    self.init(feeds)
  }

  package static let problems: [DemoBehavior] = [
    .movedPermanently, .notFound, .gone, .serverError, .malformed, .wrongEncoding, .htmlPage, .slow, .stale,
  ]

  /// The feed of a slug; a correct one if the slug is not in the table.
  package func feed(_ slug: String) -> DemoFeed {
    bySlug[slug] ?? DemoFeed(slug: slug, behavior: Self.format(of: slug))
  }

  private static func format(of slug: String) -> DemoBehavior {
    var random = SeededGenerator(slug)
    return [DemoBehavior.rss20, .rss20, .atom, .rss10, .jsonFeed, .gzip].randomElement(using: &random)
      ?? .rss20
  }
}

extension SeededGenerator {
  init(_ seed: String) { self.init(seed: stableHash(seed.utf8)) }
}

/// The FNV-1a hash, for seeds and entity tags; not for security.
func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
