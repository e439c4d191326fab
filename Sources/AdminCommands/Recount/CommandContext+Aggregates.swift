internal import Aggregates
internal import CommandLine
internal import FeedState
internal import FoundationEssentials
internal import SchemaLanguage

extension CommandContext {
  /// The aggregates that a container with this schema has.
  func aggregates(_ file: AggregateFile, in schema: Schema) throws -> AggregateCatalog {
    let feeds = try FeedRecordSettings.mapping(settings)
    return AggregateCatalog(file, schema: schema, feeds: feeds == .celestra ? nil : feeds)
  }

  func aggregateFile(_ path: String?) throws -> AggregateFile {
    let configured = try path ?? settings[.aggregates]
    let fallback = projectPath("aggregates.json")
    guard configured != nil || FileManager.default.fileExists(atPath: fallback) else {
      return AggregateFile()
    }
    return try AggregateFile(validating: InputFile.source(configured ?? fallback))
  }
}
