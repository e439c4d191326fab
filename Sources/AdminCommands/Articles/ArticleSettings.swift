internal import Articles
internal import CommandLine

enum ArticleSettings {
  static let store = SettingKey(
    name: "articles.store", .choice(["none"] + ArticleOptions.Content.allCases.map(\.rawValue)),
    default: "none",
    summary: "what health checks store of the items of feeds")
  static let lifetime = SettingKey(
    name: "articles.lifetime", .duration, default: "90d",
    summary: "how long an article is kept; 30d with celestra-cloud, unless it is set")
  static let otherWriters = SettingKey(
    name: "articles.otherWriters", .boolean, default: "true", summary: "whether apps store articles, too")

  static let keys = [store, lifetime, otherWriters]

  /// What `health check` stores; `nil` when `articles.store` is `none`. Throws a usage error for an invalid value.
  static func optionsOfChecks(_ settings: Settings) throws -> ArticleOptions? {
    try storedContent(settings).map { try options(settings, content: $0) }
  }

  /// The options of a command that stores articles in any case. Throws a usage error for an invalid value.
  ///
  /// - Parameter content: what to store; by default what `articles.store` says, at least excerpts.
  static func options(_ settings: Settings, content: ArticleOptions.Content? = nil) throws -> ArticleOptions {
    let stored = try storedContent(settings)
    let content = content ?? stored ?? .excerpt
    let mapping = try mapping(settings)
    var options = ArticleOptions(content: content, mapping: mapping)
    if let time = try settings.duration(lifetime) { options.lifetime = time }
    if let value = try settings.value(otherWriters, { Bool($0) }) { options.otherWriters = value }
    return options
  }

  /// What `articles.store` says; `nil` for none.
  private static func storedContent(_ settings: Settings) throws -> ArticleOptions.Content? {
    guard try settings[store] != "none" else { return nil }
    return try settings.value(store, ArticleOptions.Content.init(rawValue:))
  }

  static func mapping(_ settings: Settings) throws -> ArticleRecordMapping {
    ArticleRecordMapping.profile(of: try FeedRecordSettings.mapping(settings))
  }
}
