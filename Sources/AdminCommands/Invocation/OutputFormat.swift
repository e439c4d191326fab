internal import ArgumentParser

/// How a result is written to standard output.
enum OutputFormat: String, CaseIterable, Sendable {
  case text
  /// One document in the envelope.
  case json
  /// One object a line, as things happen.
  case jsonl
  case sarif
  case junit
  /// Workflow commands that GitHub shows on the lines they name.
  case github
  case markdown

  /// The format a file's name promises.
  init?(fileName: String) {
    let endings: [(String, OutputFormat)] = [
      (".json", .json), (".jsonl", .jsonl), (".ndjson", .jsonl), (".md", .markdown), (".sarif", .sarif),
      (".xml", .junit),
    ]
    guard let format = endings.first(where: { fileName.hasSuffix($0.0) })?.1 else { return nil }
    self = format
  }
}
