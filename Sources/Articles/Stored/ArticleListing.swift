internal import Catalog
package import CloudKitModel
package import Diagnostics
internal import SchemaLanguage

/// Reads stored articles, the newest first.
package struct ArticleListing: Sendable {
  /// Which articles are read; all conditions hold.
  package struct Conditions: Sendable {
    /// The record name of the feed.
    package var feed: String?
    /// Published then or later.
    package var since: Timestamp?
    /// A language as people write it, such as `de`, `de-AT` or `German`.
    package var language: String?
    package var expiredBefore: Timestamp?

    package init() {}
  }

  let container: any Container
  let mapping: ArticleRecordMapping

  package init(container: any Container, mapping: ArticleRecordMapping) {
    self.container = container
    self.mapping = mapping
  }

  /// The newest articles under some conditions.
  ///
  /// - Parameter limit: from 1 up; `nil` for all.
  package func list(_ conditions: Conditions, limit: Int?) async throws -> ArticleList {
    let mapping = try await mapping.matching(container)
    let (records, isComplete) = try await container.firstRecords(
      query(conditions, mapping), desiredKeys: mapping.listedFields, limit: limit)
    return ArticleList(articles: records.map { ListedArticle($0, mapping) }, isComplete: isComplete)
  }

  /// Whether a word has something that is searched. A search for nothing else would find every article.
  package static func isSearchable(_ word: String) -> Bool { word.contains { $0.isLetter || $0.isNumber } }

  /// The newest articles that have every searchable word in their title, or every one in their text.
  ///
  /// A schema in which the text cannot be searched is searched by titles, and a remark says what to add.
  package func search(_ words: [String], _ conditions: Conditions, limit: Int?) async throws -> ArticleList {
    let mapping = try await mapping.matching(container)
    let searched = words.filter(Self.isSearchable)
    var list = ArticleList(articles: [], isComplete: true)
    var found: [String: ListedArticle] = [:]
    for field in Self.searchedFields {
      guard
        let (records, isComplete) = try await find(
          searched, in: field, query(conditions, mapping), desiredKeys: mapping.listedFields, limit: limit)
      else {
        list.remarks.append(
          "Only titles were searched: in the schema, \(mapping.recordType).\(field) is not SEARCHABLE.")
        continue
      }
      for record in records { found[record.recordName] = ListedArticle(record, mapping) }
      list.isComplete = list.isComplete && isComplete
    }
    let newest = Array(found.values).newestFirst
    list.articles = Array(newest.prefix(limit ?? .max))
    list.isComplete = list.isComplete && newest.count == list.articles.count
    let absent = list.articles.isEmpty ? try await unmatched(searched, query(conditions, mapping)) : []
    list.unmatched = words.filter { absent.contains($0) || !Self.isSearchable($0) }
    return list
  }

  private static let searchedFields = ["title", "contentText"]

  /// The first articles of a query that have all words in a field; `nil` for a text that cannot be searched.
  private func find(
    _ words: [String], in field: String, _ query: Query, desiredKeys: [String], limit: Int?
  ) async throws -> (records: [Record], isComplete: Bool)? {
    var query = query
    query.filters.append(
      Filter(FieldName(field), .containsAllTokens, .string(words.joined(separator: " "))))
    do {
      return try await container.firstRecords(query, desiredKeys: desiredKeys, limit: limit)
    } catch let error as ServerError
      where error.code == .badRequest && error.reason.contains("is not marked searchable") && field != "title"
    {
      return nil
    }
  }

  private func unmatched(_ words: [String], _ query: Query) async throws -> [String] {
    var unmatched: [String] = []
    for word in words {
      var isFound = false
      for field in Self.searchedFields where !isFound {
        let found = try await find([word], in: field, query, desiredKeys: [], limit: 1)
        isFound = found?.records.isEmpty == false
      }
      if !isFound { unmatched.append(word) }
    }
    return unmatched
  }

  func query(_ conditions: Conditions, _ mapping: ArticleRecordMapping) -> Query {
    var filters: [Filter] = []
    if let feed = conditions.feed {
      filters.append(Filter(FieldName(mapping.feed), equals: mapping.feedValue(feed)))
    }
    if let since = conditions.since {
      filters.append(Filter(FieldName(mapping.published), .greaterThanOrEquals, .timestamp(since)))
    }
    if let language = conditions.language {
      // Another program may have stored the text as its feed has it.
      let tags = Set([language, LanguageCodes.code(language) ?? language]).sorted()
      filters.append(Filter("language", .in, .list(of: .string, tags.map(FieldValue.string))))
    }
    if let moment = conditions.expiredBefore {
      filters.append(Filter(FieldName(mapping.expires), .lessThan, .timestamp(moment)))
    }
    return Query(
      mapping.recordType, filters: filters, sorts: [Sort(FieldName(mapping.published), ascending: false)])
  }
}

extension ArticleRecordMapping {
  var listedFields: [String] { [feed, "title", "url", published, expires] }
}

/// A stored article as lists show it.
package struct ListedArticle: Sendable, Hashable {
  package var recordName: String
  /// The record name of the feed.
  package var feed: String?
  package var title: String?
  package var url: String?
  package var publishedDate: Timestamp?
  package var expiresAt: Timestamp?

  init(_ record: Record, _ mapping: ArticleRecordMapping) {
    recordName = record.recordName
    feed = mapping.feedName(of: record)
    title = record["title"]?.string
    url = record["url"]?.string
    publishedDate = record[mapping.published]?.timestamp
    expiresAt = record[mapping.expires]?.timestamp
  }

  var published: Timestamp { publishedDate ?? Timestamp(milliseconds: .min) }

  var json: JSONValue {
    [
      "recordName": recordName.json, "feed": JSONValue(orNull: feed), "title": JSONValue(orNull: title),
      "url": JSONValue(orNull: url), "publishedDate": JSONValue(orNull: publishedDate?.iso8601),
      "expiresAt": JSONValue(orNull: expiresAt?.iso8601),
    ]
  }

  /// When it was published: `2026-11-20`.
  var day: String { publishedDate.map { String($0.iso8601.prefix(10)) } ?? "undated   " }
}

extension [ListedArticle] {
  fileprivate var newestFirst: [ListedArticle] {
    sorted { ($1.published, $0.recordName) < ($0.published, $1.recordName) }
  }
}

/// The report of `articles list` and `articles search`.
package struct ArticleList: Report {
  package internal(set) var articles: [ListedArticle]
  /// Whether these are all that match.
  package internal(set) var isComplete: Bool
  /// The words of a search that no article under its conditions has, or that are not searched; `nil` for a list.
  package internal(set) var unmatched: [String]?
  /// What kept the search from being complete.
  package internal(set) var remarks: [String] = []

  package var json: JSONValue {
    .object([
      "articles": articles.map(\.json).json, "complete": isComplete.json,
      "notes": remarks.isEmpty ? nil : remarks.json, "unmatched": unmatched.map { $0.json },
    ])
  }

  package var body: ReportBody {
    for article in articles {
      ListItem(
        "\(article.day)  \(article.title ?? article.recordName, .strong)",
        details: ["\(article.url ?? "unknown address", .dim)"])
    }
    for word in unmatched ?? [] { "The word '\(word)' was not found." }
    for remark in remarks { "\(remark)" }
    "\(counted(articles.count, "article"))\(isComplete ? "" : "; there are more: raise --limit")"
  }
}

extension ArticleListing {
  /// The stories that several articles have, mostly because several feeds list them: the articles with one `contentHash` and file
  /// (Documentation/reference/articles.md#one-story-in-several-feeds). The story of the newest article comes first.
  ///
  /// Reads the hash of each article, then the articles of the hashes that occur again.
  ///
  /// - Parameter conditions: that all articles meet; the feed must have only one article of a story.
  package func repeated(_ conditions: Conditions, limit: Int) async throws -> RepeatedStories {
    let mapping = try await mapping.matching(container)
    var others = conditions
    others.feed = nil
    var stories: [RepeatedStory] = []
    let hashes = try await hashes(conditions, mapping)
    for some in hashes.chunks(of: StoredArticles.valuesPerQuery) where stories.count <= limit {
      var query = query(others, mapping)
      query.filters.append(Filter("contentHash", .in, .list(of: .string, some.map(FieldValue.string))))
      let compared = ["contentHash", "enclosureURL"].filter { !mapping.absent.contains($0) }
      let records = try await container.allRecords(query, desiredKeys: mapping.listedFields + compared)
      // Episodes differ in their files.
      stories += Dictionary(grouping: records) { record in compared.map { record[$0]?.string ?? "" } }
        .filter { $0.value.count > 1 }
        .map {
          RepeatedStory(
            contentHash: $0.key[0], articles: $0.value.map { ListedArticle($0, mapping) }.newestFirst)
        }
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

  fileprivate var newest: Timestamp { articles.first?.published ?? Timestamp(milliseconds: .min) }
}

/// The report of `articles list --repeated`.
package struct RepeatedStories: Report {
  package internal(set) var stories: [RepeatedStory]
  /// Whether these are all.
  package internal(set) var isComplete: Bool

  package var json: JSONValue {
    let stories = stories.map { story -> JSONValue in
      ["contentHash": story.contentHash.json, "articles": story.articles.map(\.json).json]
    }
    return ["stories": .array(stories), "complete": isComplete.json]
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
