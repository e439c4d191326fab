/// Findings as workflow commands, which GitHub shows on the lines they name.
public struct GitHubRenderer: Sendable {
  public init() {}

  public func render(_ diagnostics: [Diagnostic]) -> PrintableText {
    let commands = diagnostics.sortedForReading().map { diagnostic in
      let properties = properties(of: diagnostic).map { "\($0)=\(escaped($1, alsoIn: ":,"))" }
      let message = ([diagnostic.message] + (diagnostic.help.map { [$0] } ?? [])).joined(separator: "\n")
      return
        "::\(diagnostic.severity.command) \(properties.joined(separator: ","))::\(escaped(message, alsoIn: ""))\n"
    }
    // Commands of ours: what they quote is in one line and escaped.
    return PrintableText(safe: commands.joined())
  }

  private func properties(of diagnostic: Diagnostic) -> [(String, String)] {
    guard let range = diagnostic.range else { return [("title", diagnostic.code)] }
    let (start, end) = (range.start, range.end)
    var properties = [
      ("file", range.source.name.printableLine), ("line", "\(start.line)"), ("endLine", "\(end.line)"),
    ]
    // GitHub takes columns only for a place on one line.
    if start.line == end.line { properties += [("col", "\(start.column)"), ("endColumn", "\(end.column)")] }
    return properties + [("title", diagnostic.code)]
  }

  private func escaped(_ text: String, alsoIn characters: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      let mustEscape =
        scalar == "%" || scalar == "\r" || scalar == "\n" || characters.unicodeScalars.contains(scalar)
      if mustEscape {
        let hex = String(scalar.value, radix: 16, uppercase: true)
        result += "%" + (hex.count == 1 ? "0" : "") + hex
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Diagnostic.Severity {
  fileprivate var command: String { self == .note ? "notice" : rawValue }
}
