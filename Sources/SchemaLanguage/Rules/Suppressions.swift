internal import Diagnostics

/// The comments of a file for this tool. A `celestra:ignore CODE reason` applies to the declaration on its line,
/// otherwise to the next one (a whole record type, if it is one), and before DEFINE SCHEMA to the file.
package struct Suppressions {
  private let parsed: ParsedSchema
  /// The comments, each with the text it applies to.
  private var entries: [(comment: IgnoreComment, target: Range<Int>)] = []
  /// The comments without an effect that are probably meant to have one.
  private var idle: [Diagnostic] = []

  init(in parsed: ParsedSchema, _ attachment: CommentAttachment) {
    self.parsed = parsed
    for (comment, owner) in zip(parsed.comments, attachment.owners) {
      let range = comment.range
      if let ignore = IgnoreComment(parsed.source, range) {
        entries.append((ignore, parsed.reach(of: owner) ?? range))
      } else if let (word, _) = CommentWord.read(parsed.source, range) {
        switch owner {
        case .header, .opening, .closing: break
        case .field, .grant, .role, .end: idle.append(misplaced(word, range))
        }
      } else if let word = CommentWord.meant(by: parsed.source.text(in: range)) {
        idle.append(Self.misread(word, at: parsed.source.range(range)))
      }
    }
  }

  /// The findings that remain, and findings about the comments themselves.
  ///
  /// - Parameter disabled: the rules that were not checked, whose comments may be of use; `nil`, after errors, for most.
  func apply(to found: [Diagnostic], disabled: Set<String>? = nil) -> [Diagnostic] {
    var used = Set<Int>()
    let remaining = found.filter { diagnostic in
      guard let index = entries.firstIndex(where: { covers($0, diagnostic) }) else { return true }
      used.insert(index)
      return false
    }
    guard let disabled else { return remaining }
    return remaining + idle
      + entries.enumerated().compactMap { index, entry in
        entry.comment.problem(
          isUsed: used.contains(index) || entry.comment.names(disabled.contains),
          target: "above the declaration that the finding is about")
      }
  }

  /// Syntax and semantic errors cannot be suppressed.
  private func covers(_ entry: (comment: IgnoreComment, target: Range<Int>), _ diagnostic: Diagnostic) -> Bool
  {
    guard entry.comment.accepts(diagnostic.code),
      !(diagnostic.severity == .error && diagnostic.code.hasPrefix("CK01")),
      let range = diagnostic.range, range.source === parsed.source
    else { return false }
    return entry.target.contains(range.offsets.lowerBound)
  }

  static func misread(_ word: CommentWord, at place: SourceRange) -> Diagnostic {
    Diagnostic(
      SchemaCode.unknownSuppression,
      "the comment has no effect, because it does not begin as one for this tool",
      at: place, help: "did you mean // celestra:\(word.rawValue)?")
  }

  /// A comment that names a database where no record type is.
  private func misplaced(_ word: CommentWord, _ range: Range<Int>) -> Diagnostic {
    Diagnostic(
      SchemaCode.unknownSuppression,
      "celestra:\(word.rawValue) has no effect here: only record types have a database",
      at: parsed.source.range(range),
      help: "move it above a record type, or above DEFINE SCHEMA for all types")
  }
}

/// The declaration that a finding is about, without its line, so that it can be recognized after lines have moved.
struct FindingSubject: Hashable {
  let code: String
  /// Empty for a finding about the file.
  var recordType = ""
  /// A field, or the role of a grant.
  var member = ""
}

extension ParsedSchema {
  func subject(of diagnostic: Diagnostic) -> FindingSubject {
    guard let range = diagnostic.range else { return FindingSubject(code: diagnostic.code) }
    guard range.source === source else {
      // For a finding in another file, such as the list of queries, use the message.
      return FindingSubject(code: diagnostic.code, member: diagnostic.message)
    }
    let place = range.offsets.lowerBound
    guard let type = recordTypes.element(at: place, in: \.range) else {
      let role = roles.element(at: place, in: \.range)
      return FindingSubject(code: diagnostic.code, member: role?.name ?? "")
    }
    // Whether a type can be listed is a question about the type, wherever the line for the answer is or would be.
    if diagnostic.code == SchemaRule.missingRecordIDIndex.code {
      return FindingSubject(code: diagnostic.code, recordType: type.name)
    }
    let field = type.fields.element(at: place, in: \.range)?.name
    let role = type.grants.element(at: place, in: \.range).map { "TO \($0.grant.role)" }
    return FindingSubject(code: diagnostic.code, recordType: type.name, member: field ?? role ?? "")
  }
}

extension Array {
  /// The declaration that a place is in, of some in the order of the text.
  fileprivate func element(at place: Int, in range: (Element) -> Range<Int>) -> Element? {
    let next = partitioningIndex { range($0).lowerBound > place }
    guard next > 0, range(self[next - 1]).contains(place) else { return nil }
    return self[next - 1]
  }
}
