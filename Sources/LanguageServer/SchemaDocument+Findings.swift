internal import Diagnostics
internal import SchemaLanguage

extension SchemaDocument {
  /// The findings of the linter, and the question which database the types belong to.
  ///
  /// - Parameter errors: without these and the record types that have them.
  func findings(_ options: LintOptions, without errors: [Diagnostic] = []) -> [Diagnostic] {
    let checked = errors.isEmpty ? parsed : parsed.without(errors)
    let result = SchemaLinter.check(checked, options, joined: false)
    return result.diagnostics + result.notices.map(\.diagnostic)
  }

  /// A finding as the protocol's diagnostic. One in another file, such as that of the settings, names its place there.
  func json(_ finding: Diagnostic, uri: String) -> JSONValue {
    // Some editors show it all in one line.
    let sentences =
      [message(finding, isElsewhere: finding.range?.source !== text.source)]
      + finding.notes.filter { $0.range == nil }.map(\.message) + [finding.help].compactMap(\.self)
    let others = finding.notes.compactMap { note -> JSONValue? in
      guard let range = note.range, range.source === text.source, range.offsets != place(of: finding) else {
        return nil
      }
      return [
        "location": ["uri": .string(uri), "range": text.range(range.offsets)],
        "message": .string(note.message),
      ]
    }
    return .object([
      "range": text.range(place(of: finding)), "severity": .integer(Self.severity(finding.severity)),
      "code": .string(finding.code), "source": "celestra-admin",
      "message": .string(sentences.joined(separator: ";\n")),
      "relatedInformation": others.isEmpty ? nil : .array(others),
    ])
  }

  /// What a finding says, with its place unless it is shown there. A file beside the schema is shown by its name.
  func message(_ finding: Diagnostic, isElsewhere: Bool = true) -> String {
    guard isElsewhere, let place = finding.range else { return finding.message }
    let own = text.source.name
    let folder = own.lastIndex(of: "/").map { own[...$0] } ?? ""
    let name = place.source.name
    let file = name.hasPrefix(folder) ? name.dropFirst(folder.count) : name[...]
    return "\(file):\(place.start.line): \(finding.message)"
  }

  /// The protocol's numbers: error, warning, information.
  private static func severity(_ severity: Diagnostic.Severity) -> Int64 {
    switch severity {
    case .error: 1
    case .warning: 2
    case .note: 3
    }
  }

  private func place(of finding: Diagnostic) -> Range<Int> {
    let places = [finding.range] + finding.notes.map(\.range)
    return places.lazy.compactMap { $0 }.first { $0.source === text.source }?.offsets ?? 0..<0
  }

  /// The fixes of findings in the lines of a range, one action each, and one for all that are certainly right.
  func actions(
    for findings: [Diagnostic], _ options: LintOptions, in range: Range<Int>, uri: String
  ) -> JSONValue {
    // A whole line ends where the next one begins, which is not part of it.
    let lines = { [text] (place: Range<Int>) in
      let last = max(place.lowerBound, place.upperBound - 1)
      return text.source.lineNumber(at: place.lowerBound)...text.source.lineNumber(at: last)
    }
    let touched = findings.filter { lines(place(of: $0)).overlaps(lines(range)) }
    var actions = touched.compactMap { finding -> JSONValue? in
      guard let fix = finding.fix, fix.range.source === text.source else { return nil }
      return action(
        title(of: fix),
        [["range": text.range(fix.range.offsets), "newText": .string(fix.replacement)]],
        for: [finding], isPreferred: SchemaFixer.isCertain(finding, in: parsed), uri)
    }
    let certain = findings.filter { SchemaFixer.isCertain($0, in: parsed) }
    if certain.count > 1, !touched.isEmpty {
      let fixed = SchemaFixer.fix(text.source, options)
      actions.append(
        action(
          "Fix all \(fixed.count) that are certain", text.edits(to: fixed.text), for: certain,
          isPreferred: false,
          uri))
    }
    return .array(actions + touched.compactMap { acceptance(of: $0, uri) })
  }

  /// Adds the comment that accepts a finding. The person writes the reason: without one the comment has no effect.
  private func acceptance(of finding: Diagnostic, _ uri: String) -> JSONValue? {
    guard let place = finding.range, place.source === text.source, IgnoreComment.canAccept(finding.code)
    else { return nil }
    let line = text.source.lineRange(around: place.offsets.lowerBound, reach: text.source.bytes.count)
    let indent = text.source.bytes[line].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let comment = String(decoding: indent, as: UTF8.self) + "// celestra:ignore \(finding.code) "
    return action(
      "Accept \(finding.code) of line \(text.source.lineNumber(at: line.lowerBound)) with a comment",
      [
        [
          "range": text.range(line.lowerBound..<line.lowerBound),
          "newText": .string(comment + (text.source.endsLinesWithCRLF ? "\r\n" : "\n")),
        ]
      ], for: [finding], isPreferred: false, uri)
  }

  /// What an action does, as its menu shows it.
  private func title(of fix: Diagnostic.Fix) -> String {
    let quoted = { (words: String) -> String in
      let line = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return "'\(line.count > 60 ? "\(line.prefix(59))…" : line)'"
    }
    let old = text.source.text(in: fix.range.offsets)
    if fix.replacement.isEmpty { return "Remove \(quoted(old))" }
    return old.isEmpty
      ? "Add \(quoted(fix.replacement))" : "Replace \(quoted(old)) with \(quoted(fix.replacement))"
  }

  private func action(
    _ title: String, _ edits: [JSONValue], for findings: [Diagnostic], isPreferred: Bool, _ uri: String
  ) -> JSONValue {
    [
      "title": .string(title), "kind": "quickfix", "isPreferred": .bool(isPreferred),
      "diagnostics": .array(findings.map { json($0, uri: uri) }),
      "edit": ["changes": .object([uri: .array(edits)])],
    ]
  }
}
