import Diagnostics

/// The declaration that a finding is about, without its line, so that it can be recognized after lines have moved.
struct FindingSubject: Hashable {
  let code: String
  /// Empty for a finding about the file.
  var recordType = ""
  /// A field, or the role of a grant.
  var member = ""
}

/// Finds the declaration that a finding is about.
struct FindingSubjects {
  private let parsed: ParsedSchema

  init(_ parsed: ParsedSchema) { self.parsed = parsed }

  func subject(of diagnostic: Diagnostic) -> FindingSubject {
    guard let range = diagnostic.range else { return FindingSubject(code: diagnostic.code) }
    guard range.source === parsed.source else {
      // For a finding in another file, such as the list of queries, use the message.
      return FindingSubject(code: diagnostic.code, member: diagnostic.message)
    }
    let place = range.offsets.lowerBound
    guard let type = recordType(at: place) else {
      let role = parsed.roles.first { $0.range.contains(place) }
      return FindingSubject(code: diagnostic.code, member: role?.name ?? "")
    }
    let field = type.fields.first { $0.range.contains(place) }?.name
    let role = type.grants.first { $0.range.contains(place) }.map { "TO \($0.grant.role)" }
    return FindingSubject(code: diagnostic.code, recordType: type.name, member: field ?? role ?? "")
  }

  private func recordType(at place: Int) -> RecordTypeDeclaration? {
    var (low, high) = (0, parsed.recordTypes.count)
    while low < high {
      let middle = (low + high) / 2
      if parsed.recordTypes[middle].range.lowerBound <= place { low = middle + 1 } else { high = middle }
    }
    guard low > 0, parsed.recordTypes[low - 1].range.contains(place) else { return nil }
    return parsed.recordTypes[low - 1]
  }
}
