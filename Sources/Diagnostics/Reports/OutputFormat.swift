/// A form in which a command writes its result.
public enum OutputFormat: String, CaseIterable, Sendable {
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
  case table
  case csv
  case opml
  case html
  case mermaid

  /// The format that the ending of a file's name stands for.
  public init?(fileName: String) {
    let endings: [(String, OutputFormat)] = [
      (".json", .json), (".jsonl", .jsonl), (".ndjson", .jsonl), (".md", .markdown), (".sarif", .sarif),
      (".xml", .junit), (".csv", .csv), (".opml", .opml), (".html", .html), (".mmd", .mermaid),
    ]
    guard let format = endings.first(where: { fileName.hasSuffix($0.0) })?.1 else { return nil }
    self = format
  }
}
