/// Renders findings as GitHub workflow commands, which GitHub shows as annotations in the files.
package struct GitHubRenderer: Sendable {
  private let path: @Sendable (String) -> String

  /// - Parameter path: the name of a file from the repository's root.
  package init(path: @escaping @Sendable (String) -> String = { $0 }) { self.path = path }

  /// The number of annotations that GitHub shows for one step.
  package static let maxAnnotations = 10

  func render(_ report: DiagnosticReport) -> PrintableText {
    render(report.diagnostics + report.notices, limit: report.maxAnnotations)
  }

  /// Renders the findings as annotations, the most severe first. If there are more than `limit`, the last annotation
  /// gives the number of the others, and they follow as lines of the log.
  ///
  /// - Parameter limit: the maximum number of annotations; `nil` for all findings.
  package func render(_ diagnostics: [Diagnostic], limit: Int? = nil) -> PrintableText {
    let sorted = diagnostics.sortedForReading()
    let byWeight = Diagnostic.Severity.allCases.reversed().flatMap { severity in
      sorted.filter { $0.severity == severity }
    }
    guard let limit, byWeight.count > limit else { return commands(byWeight) }
    let rest = byWeight.dropFirst(limit - 1)
    let more = Diagnostic(
      "\(rest.count) more findings", rest.first?.severity ?? .note,
      "in the log of this step: \(rest.severityCounts.joined(separator: ", "))")
    return commands(Array(byWeight.prefix(limit - 1)) + [more])
      + PrintableText(safe: "::group::\(rest.count) more\n") + TextRenderer().render(Array(rest))
      + PrintableText(safe: "::endgroup::\n")
  }

  private func commands(_ diagnostics: [Diagnostic]) -> PrintableText {
    let commands = diagnostics.map { diagnostic in
      let command = diagnostic.severity == .note ? "notice" : diagnostic.severity.rawValue
      let properties = properties(of: diagnostic).map { "\($0)=\(escaped($1, alsoIn: ":,"))" }
      let message = ([diagnostic.message] + (diagnostic.help.map { [$0] } ?? [])).joined(separator: "\n")
      return
        "::\(command) \(properties.joined(separator: ","))::\(escaped(message, alsoIn: ""))\n"
    }
    // Safe: quoted input is cleaned to one line and escaped.
    return PrintableText(safe: commands.joined())
  }

  private func properties(of diagnostic: Diagnostic) -> [(String, String)] {
    guard let range = diagnostic.range else { return [("title", diagnostic.code)] }
    let (start, end) = (range.start, range.end)
    var properties = [
      ("file", path(range.source.name).printableLine), ("line", "\(start.line)"), ("endLine", "\(end.line)"),
    ]
    // GitHub accepts columns only for a range within one line.
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
