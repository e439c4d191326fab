internal import CommandLine
internal import Diagnostics
internal import FeedHealth

/// The settings of the record type with the feeds: a profile, and names that replace those of the profile.
enum FeedRecordSettings {
  static let profile = SettingKey(
    name: "records.profile", summary: "the record types of the feeds: celestra or celestra-cloud")

  private static let names:
    [(key: SettingKey, path: any WritableKeyPath<FeedRecordMapping, String> & Sendable)] = [
      (SettingKey(name: "records.feedType", summary: "the record type of a feed"), \.recordType),
      (SettingKey(name: "records.feedURL", summary: "the field with a feed's address"), \.feedURL),
      (SettingKey(name: "records.title", summary: "the field with a feed's title"), \.title),
      (SettingKey(name: "records.category", summary: "the field with a feed's category"), \.category),
      (
        SettingKey(name: "records.subscriberCount", summary: "the field with a feed's readers"),
        \.subscriberCount
      ),
    ]

  static var keys: [SettingKey] { [profile] + names.map(\.key) }

  /// Throws a usage error for a profile that does not exist.
  static func mapping(_ settings: Settings) throws -> FeedRecordMapping {
    var mapping = FeedRecordMapping.celestra
    if let setting = try settings.lookup(profile) {
      guard let known = FeedRecordMapping.profiles[setting.value] else {
        throw setting.refused(mustBe: FeedRecordMapping.profiles.keys.sorted().joined(separator: " or "))
      }
      mapping = known
    }
    for (key, path) in names {
      if let name = try settings[key] { mapping[keyPath: path] = name }
    }
    return mapping
  }
}

extension CommandContext {
  /// Says that seeds and verification know only the catalog's types, where the project keeps its feeds in another.
  func noteOtherFeedType(known: Set<String> = [FeedRecordMapping.celestra.recordType]) throws {
    let type = try FeedRecordSettings.mapping(settings).recordType
    guard !known.contains(type) else { return }
    let scope: PrintableText =
      "This command knows only the catalog's record types, such as \(FeedRecordMapping.celestra.recordType); "
    note(scope + "this project keeps its feeds in \(type).")
  }
}
