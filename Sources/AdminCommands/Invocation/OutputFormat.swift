internal import ArgumentParser

/// How a result is written to standard output.
enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
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

  /// The format that a file's extension stands for, as in `plan.json`.
  init?(fileName: String) {
    let formats: [String: OutputFormat] = [
      "json": .json, "jsonl": .jsonl, "ndjson": .jsonl, "sarif": .sarif, "md": .markdown, "txt": .text,
    ]
    guard let dot = fileName.lastIndex(of: "."),
      let format = formats[fileName[fileName.index(after: dot)...].lowercased()]
    else { return nil }
    self = format
  }
}
