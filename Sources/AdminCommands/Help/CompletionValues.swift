internal import ArgumentParser
internal import Diagnostics
internal import SchemaLanguage

/// The values that shells complete for arguments with a known set of words.
enum CompletionValues {
  /// The record types of the bundled schemas.
  static var recordTypes: CompletionKind {
    .custom { _, _, _ in
      let schemas = BundledSchema.all.compactMap { try? Schema(parsing: $0.text, name: $0.name) }
      return Set(schemas.flatMap(\.recordTypes).map(\.name)).sorted()
    }
  }

  static var aggregates: CompletionKind {
    .list(["subscribers", "quality", "participants", "all"])
  }

  static var rules: CompletionKind { .list(RuleCatalog.all.map(\.code)) }

  static var risks: CompletionKind { .list(MutationOptions.namedRisks) }
}
