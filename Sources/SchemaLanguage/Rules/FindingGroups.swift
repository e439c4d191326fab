import Diagnostics

/// Joins the findings of a file that ask its team one question, such as whether records may name people. Each of them can
/// be suppressed, and counts as new, on its own.
enum FindingGroups {
  private static let maxNames = 6

  /// One finding for each severity, at the first place, with a note for each other place.
  static func joined(_ found: [Diagnostic], in parsed: ParsedSchema) -> [Diagnostic] {
    let code = SchemaRule.readableIdentifier.code
    let ofRule = found.filter { $0.code == code }
    guard ofRule.count > 1 else { return found }
    let subjects = FindingSubjects(parsed)
    let groups = Dictionary(grouping: ofRule.sortedForReading()) { $0.severity }
    return (found.filter { $0.code != code } + groups.values.map { join($0, subjects) }).sortedForReading()
  }

  private static func join(_ findings: [Diagnostic], _ subjects: FindingSubjects) -> Diagnostic {
    let first = findings[0]
    let names = findings.map { finding in
      let subject = subjects.subject(of: finding)
      return "'\(subject.recordType).\(subject.member)'"
    }
    guard names.count > 1 else { return first }
    let more = names.count - min(names.count, maxNames)
    let listed = names.prefix(maxNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return Diagnostic(
      first.code, first.severity, "\(listed) look like identifiers of people, and strangers can read them",
      at: first.range,
      notes: zip(names, findings).dropFirst().map { Diagnostic.Note("\($0) too", at: $1.range) },
      help: first.help)
  }
}
