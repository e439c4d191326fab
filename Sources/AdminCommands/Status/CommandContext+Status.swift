internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import RecordChanges
internal import Reporting
internal import SchemaLanguage

extension CommandContext {
  /// What the container holds about the health of its feeds.
  func catalogHealth() async throws -> CatalogHealth {
    try await catalogHealthReader(of: try await container(writing: false)).read(at: now)
  }

  func catalogHealthReader(of container: any Container) throws -> CatalogHealthReader {
    CatalogHealthReader(container: container, mapping: try FeedRecordSettings.mapping(settings))
  }

  /// The differences between the container's schema and the declared one; `nil` when neither the option nor the
  /// configuration names a file, and when the container's schema cannot be read without a management token. What the
  /// option asks for is an error then.
  func schemaDrift(from option: String?) async throws -> SchemaDrift? {
    guard let path = try option ?? settings[.schema] else { return nil }
    let declared = try await validSchema(in: path).schema
    let present =
      try await option == nil ? schemaIfAvailable() : schemaContainer().currentSchema()
    return present.map { SchemaDrift(file: InputFile.displayName(path), from: $0, to: declared) }
  }

  /// Throws a usage error for HTML that would be printed to a terminal.
  func refuseHTMLOnTerminal() throws {
    guard format == .html, common.outputFile == nil, process.console.output.isTerminal else { return }
    throw CommandFailure.usage(
      "HTML cannot be printed to a terminal", hint: "Give it a file: --output status.html")
  }
}

/// The value of an option for the number of feeds in a report's table.
enum RowLimit: ExpressibleByArgument, Sendable, Hashable, CustomStringConvertible {
  case all
  case first(Int)

  init?(argument: String) {
    if argument == "all" {
      self = .all
    } else if let count = Int(argument), count >= 10 {
      self = .first(count)
    } else {
      return nil
    }
  }

  var count: Int? { if case .first(let count) = self { count } else { nil } }
  var description: String { count.map(String.init) ?? "all" }
  var defaultValueDescription: String { description }
}
