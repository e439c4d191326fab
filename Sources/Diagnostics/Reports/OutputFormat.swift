/// A format of a command's result.
public enum OutputFormat: String, CaseIterable, Sendable {
  case text
  /// One JSON document with an envelope around the result.
  case json
  /// One JSON object on each line, written while the command runs.
  case jsonl
  case sarif
  case junit
  /// GitHub workflow commands, shown as annotations.
  case github
  case markdown
  case table
  case csv
  case opml
  case html
  case mermaid

  /// The format for a file name extension; `nil` if unknown.
  public init?(fileName: String) {
    let endings: [(String, OutputFormat)] = [
      (".json", .json), (".jsonl", .jsonl), (".ndjson", .jsonl), (".md", .markdown), (".sarif", .sarif),
      (".xml", .junit), (".csv", .csv), (".opml", .opml), (".html", .html), (".mmd", .mermaid),
    ]
    guard let format = endings.first(where: { fileName.hasSuffix($0.0) })?.1 else { return nil }
    self = format
  }
}
