internal import SeededRandom

/// One feed the demo server serves.
public struct DemoFeed: Sendable, Hashable {
  /// The host's first label: `http://<slug>.localhost:<port>/feed.xml`.
  public var slug: String
  public var title: String
  public var behaviour: DemoBehaviour

  public init(slug: String, title: String? = nil, behaviour: DemoBehaviour) {
    self.slug = slug
    self.title = title ?? Self.title(of: slug)
    self.behaviour = behaviour
  }

  private static func title(of slug: String) -> String {
    slug.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
  }
}

/// Who misbehaves how: the one table that the server, the demo's story and the tests share.
public struct DemoFeedTable: Sendable {
  /// In the order given.
  public let feeds: [DemoFeed]
  private let bySlug: [String: DemoFeed]

  /// A slug given twice keeps its first feed.
  public init(_ feeds: [DemoFeed]) {
    self.feeds = feeds
    bySlug = Dictionary(feeds.map { ($0.slug, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The demo's web: every trouble of ``troubles`` once, spread evenly over the slugs, everybody else
  /// well-behaved in one of the formats. The same slugs always give the same table.
  public init(slugs: [String]) {
    let stride = max(1, slugs.count / (Self.troubles.count + 1))
    let feeds = slugs.enumerated().map { index, slug in
      let trouble = index % stride == stride - 1 ? index / stride : Self.troubles.count
      return DemoFeed(
        slug: slug,
        behaviour: trouble < Self.troubles.count ? Self.troubles[trouble] : Self.format(of: slug))
    }
    self.init(feeds)
  }

  /// One feed of every behaviour, the zoo included, each under its behaviour's name in lower case.
  public static let everyBehaviour = DemoFeedTable(
    DemoBehaviour.allCases.map {
      DemoFeed(slug: $0.rawValue.lowercased(), title: $0.summary, behaviour: $0)
    })

  /// The troubles of the ordinary web, without the zoo.
  public static let troubles: [DemoBehaviour] = [
    .movedPermanently, .notFound, .gone, .serverError, .malformed, .wrongEncoding, .htmlPage, .slow, .stale,
  ]

  /// The feed of a slug; one that is not in the table behaves well.
  public func feed(_ slug: String) -> DemoFeed {
    bySlug[slug] ?? DemoFeed(slug: slug, behaviour: Self.format(of: slug))
  }

  private static func format(of slug: String) -> DemoBehaviour {
    var random = SeededGenerator(slug)
    return [DemoBehaviour.rss20, .rss20, .atom, .rss10, .jsonFeed, .gzip].randomElement(using: &random)
      ?? .rss20
  }
}

extension SeededGenerator {
  /// Started from a text: the same text, the same numbers.
  init(_ seed: String) { self.init(seed: stableHash(seed.utf8)) }
}

/// FNV-1a: for seeds and entity tags, not for security.
func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
