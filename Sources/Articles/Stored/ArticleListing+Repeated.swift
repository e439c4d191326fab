internal import CloudKitModel
package import Diagnostics
internal import SchemaLanguage

extension ArticleListing {
  /// The stories that several articles have, mostly because several feeds list them: the articles with one `contentHash`
  /// (Documentation/reference/articles.md#one-story-in-several-feeds). The story of the newest article comes first.
  ///
  /// Reads the hash of each article, then the articles of the hashes that occur again.
  ///
  /// - Parameters:
  ///   - conditions: that all articles meet; the feed must have only one article of a story.
  ///   - limit: stories at most, from 1 up.
  package func repeated(_ conditions: Conditions, limit: Int) async throws -> RepeatedStories {
    let mapping = try await mapping.matching(container)
    var others = conditions
    others.feed = nil
    var stories: [RepeatedStory] = []
    let hashes = try await hashes(conditions, mapping)
    for some in hashes.chunks(of: StoredArticles.valuesPerQuery) where stories.count <= limit {
      var query = query(others, mapping)
      query.filters.append(Filter("contentHash", .in, .list(of: .string, some.map(FieldValue.string))))
      let records = try await container.allRecords(query, desiredKeys: mapping.listedFields + ["contentHash"])
      stories += Dictionary(grouping: records) { $0["contentHash"]?.string ?? "" }
        .filter { $0.value.count > 1 }
        .map { RepeatedStory(contentHash: $0.key, articles: $0.value.map { ListedArticle($0, mapping) }) }
    }
    stories.sort { ($1.newest, $0.contentHash) < ($0.newest, $1.contentHash) }
    return RepeatedStories(stories: Array(stories.prefix(limit)), isComplete: stories.count <= limit)
  }

  /// The hashes that may have several articles, the newest first: those that occur again, or of one feed all.
  private func hashes(_ conditions: Conditions, _ mapping: ArticleRecordMapping) async throws -> [String] {
    var seen: Set<Int> = []
    var repeated: Set<String> = []
    var hashes: [String] = []
    try await container.walkPages(
      of: QueryRequest(query(conditions, mapping), desiredKeys: ["contentHash"])
    ) { page in
      for hash in page.records.compactMap({ $0["contentHash"]?.string }) {
        // Of millions of articles only a number each is kept.
        let isCandidate = !seen.insert(hash.hashValue).inserted || conditions.feed != nil
        if isCandidate, repeated.insert(hash).inserted { hashes.append(hash) }
      }
      return true
    }
    return hashes
  }
}

/// Articles with the same content.
package struct RepeatedStory: Sendable, Hashable {
  package var contentHash: String
  /// The newest first.
  package var articles: [ListedArticle]

  init(contentHash: String, articles: [ListedArticle]) {
    self.contentHash = contentHash
    self.articles = articles.sorted { ($1.published, $0.recordName) < ($0.published, $1.recordName) }
  }

  fileprivate var newest: Timestamp { articles.first?.published ?? Timestamp(milliseconds: .min) }
}

/// The report of `articles list --repeated`.
package struct RepeatedStories: Report {
  package internal(set) var stories: [RepeatedStory]
  /// Whether these are all.
  package internal(set) var isComplete: Bool

  package var json: JSONValue {
    let stories = stories.map { story -> JSONValue in
      ["contentHash": .string(story.contentHash), "articles": .array(story.articles.map(\.json))]
    }
    return ["stories": .array(stories), "complete": .bool(isComplete)]
  }

  package var body: ReportBody {
    for story in stories {
      let first = story.articles.first
      ListItem(
        "\(first?.title ?? story.contentHash, .strong)",
        details: ["\(first?.url ?? "unknown address", .dim)"]
          + story.articles.map { "\($0.day)  \($0.feed ?? "unknown feed")  \($0.recordName, .dim)" })
    }
    "\(stories.count) \(stories.count == 1 ? "story" : "stories") in several articles\(isComplete ? "" : "; there are more: raise --limit")"
  }
}
