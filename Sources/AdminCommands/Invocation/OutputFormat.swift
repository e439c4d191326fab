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
}
