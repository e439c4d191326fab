import Diagnostics

/// The `celestra:ignore CODE reason` comments of a file. Such a comment applies to the declaration on its line,
/// otherwise to the next one (a whole record type, if it is one), and before DEFINE SCHEMA to the file.
struct Suppressions {
  /// A `celestra:ignore` comment, with its codes and the text it applies to.
  private struct Entry {
    let codes: [(code: String, range: Range<Int>)]
    let hasReason: Bool
    let comment: Range<Int>
    let target: Range<Int>
  }

  private let parsed: ParsedSchema
  private let entries: [Entry]
  /// The comments that are probably meant for the tool, such as `// celestra: ignore`, each with the word that is meant.
  private let misspelled: [(range: Range<Int>, word: String)]

  init(in parsed: ParsedSchema) {
    self.parsed = parsed
    entries = zip(parsed.comments, CommentAttachment(parsed).owners).compactMap { comment, owner in
      guard let marker = Self.marker(in: parsed.source.bytes, comment.range) else { return nil }
      let (codes, hasReason) = Self.codes(in: parsed.source, marker..<comment.range.upperBound)
      return Entry(
        codes: codes, hasReason: hasReason, comment: comment.range,
        target: parsed.reach(of: owner) ?? comment.range)
    }
    misspelled = parsed.comments.compactMap { comment -> (range: Range<Int>, word: String)? in
      guard Self.marker(in: parsed.source.bytes, comment.range) == nil else { return nil }
      return Self.word(meantIn: parsed.source.text(in: comment.range)).map { word in
        (range: comment.range, word: word)
      }
    }
  }

  /// The findings that remain, and findings about the comments themselves.
  ///
  /// - Parameter disabled: the codes of rules that were not checked, so that nothing is known about their comments.
  func apply(to found: [Diagnostic], disabled: Set<String> = []) -> [Diagnostic] {
    guard !entries.isEmpty || !misspelled.isEmpty else { return found }
    var used = Set<Int>()
    let remaining = found.filter { diagnostic in
      guard let index = entries.firstIndex(where: { covers($0, diagnostic) }) else { return true }
      used.insert(index)
      return false
    }
    let unread = misspelled.map { range, word in
      Diagnostic(
        Self.unknownCode.code, .warning,
        "the comment has no effect, because it does not begin as one for this tool",
        at: parsed.source.range(range), help: "did you mean // celestra:\(word)?")
    }
    return remaining + unread
      + entries.indices.flatMap { index in
        problems(
          with: entries[index],
          isUsed: used.contains(index) || entries[index].codes.contains { disabled.contains($0.code) })
      }
  }

  /// Why a suppression is invalid: syntax and semantic errors cannot be suppressed, and a reason is required.
  private func covers(_ entry: Entry, _ diagnostic: Diagnostic) -> Bool {
    guard entry.hasReason, entry.codes.contains(where: { $0.code == diagnostic.code }),
      !(diagnostic.severity == .error && diagnostic.code.hasPrefix("CK01")),
      let range = diagnostic.range, range.source === parsed.source
    else { return false }
    return entry.target.contains(range.offsets.lowerBound)
  }

  private func problems(with entry: Entry, isUsed: Bool) -> [Diagnostic] {
    let place = parsed.source.range(entry.comment)
    guard !entry.codes.isEmpty, entry.hasReason else {
      let lacks = entry.codes.isEmpty ? "code" : "reason"
      return [
        Diagnostic(
          Self.withoutReason.code, .warning,
          "the celestra:ignore comment has no \(lacks), so it has no effect",
          at: place,
          help: "write // celestra:ignore CODE reason")
      ]
    }
    let unknown = entry.codes.filter { !Self.isKnown($0.code) }
    if let code = unknown.first {
      let near = SpellingSuggestion.nearest(toCode: code.code, among: SchemaRules.all.map(\.code))
      return [
        Diagnostic(
          Self.unknownCode.code, .warning, "there is no rule '\(code.code)'",
          at: parsed.source.range(code.range),
          help: near.map { "did you mean \($0)?" })
      ]
    }
    if isUsed { return [] }
    return [
      Diagnostic(
        Self.unused.code, .note, "the celestra:ignore comment suppresses no finding", at: place,
        help: "move it above the declaration that the finding is about, or remove it")
    ]
  }

  // MARK: Reading a comment

  private static let keyword = Array("celestra:ignore".utf8)

  /// The offset after `celestra:ignore`, if the comment begins with it.
  private static func marker(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var start = range.lowerBound + 2
    while start < range.upperBound, bytes[start] == UInt8(ascii: " ") { start += 1 }
    let end = start + keyword.count
    guard end <= range.upperBound, bytes[start..<end].elementsEqual(keyword) else { return nil }
    return end
  }

  /// The word after `celestra:` that a comment without a known one probably means.
  private static func word(meantIn comment: String) -> String? {
    let text = comment.dropFirst(2).drop { $0 == " " }
    guard text.hasPrefix("celestra:") else { return nil }
    let rest = text.dropFirst("celestra:".count)
    let words = ["ignore", "private", "public"]
    guard !words.contains(String(rest.prefix { $0.isLetter })) else { return nil }
    let word = String(rest.drop { $0 == " " }.prefix { $0.isLetter })
    return words.contains(word) ? word : SpellingSuggestion.nearest(to: word, among: words)
  }

  /// The codes, separated by commas or spaces, and whether anything follows them.
  private static func codes(
    in source: SourceText, _ range: Range<Int>
  ) -> (codes: [(code: String, range: Range<Int>)], hasReason: Bool) {
    var codes: [(code: String, range: Range<Int>)] = []
    var position = range.lowerBound
    while position < range.upperBound {
      while position < range.upperBound, source.bytes[position].isSuppressionSeparator { position += 1 }
      let start = position
      while position < range.upperBound, !source.bytes[position].isSuppressionSeparator { position += 1 }
      let word = source.text(in: start..<position)
      guard isCode(word) else { return (codes, !word.isEmpty && word != "*/") }
      codes.append((word, start..<position))
    }
    return (codes, false)
  }

  /// Whether a word is meant as a code. One in small letters names no rule.
  private static func isCode(_ word: String) -> Bool {
    let upper = word.uppercased()
    return upper.hasPrefix("CK") && upper.count > 2 && upper.dropFirst(2).allSatisfy(\.isNumber)
      || RuleFamily(code: upper) != nil
  }

  /// Codes of other families, which other modules define, are accepted.
  private static func isKnown(_ code: String) -> Bool {
    SchemaRules.rule(code) != nil || RuleFamily(code: code).map { $0 != .schema } == true
  }
}

extension UInt8 {
  fileprivate var isSuppressionSeparator: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: ",") || self == UInt8(ascii: "\t")
  }
}

extension Suppressions {
  static let rules = [withoutReason, unknownCode, unused]

  static let withoutReason = Rule(
    "CK0501", "suppression-without-reason", .warning,
    summary: "A `celestra:ignore` comment has no code or no reason",
    rationale:
      "The reason says why the finding was accepted. A comment without one has no effect.",
    example: SchemaRule.example(above: "// celestra:ignore CK0203", isListed: false, "title STRING"),
    useInstead: SchemaRule.example(
      above: "// celestra:ignore CK0203 feeds are only ever looked up by name", isListed: false,
      "title STRING"),
    source: "this tool")

  static let unknownCode = Rule(
    "CK0502", "unknown-suppression", .warning,
    summary: "A `celestra:` comment has an unknown rule or word",
    rationale: "A mistyped code suppresses nothing.",
    example: SchemaRule.example(above: "// celestra:ignore CK9999 feeds are only ever looked up by name"),
    useInstead: SchemaRule.example(), source: "this tool")

  static let unused = Rule(
    "CK0503", "unused-suppression", .note,
    summary: "A `celestra:ignore` comment suppresses nothing",
    rationale:
      "The finding that it was written for no longer occurs. If the comment stays, it can hide a new "
      + "finding.",
    example: SchemaRule.example(above: "// celestra:ignore CK0203 feeds are only ever looked up by name"),
    useInstead: SchemaRule.example(), source: "this tool")
}

/// The declaration that a finding is about, without its line, so that it can be recognized after lines have moved.
struct FindingSubject: Hashable {
  let code: String
  /// Empty for a finding about the file.
  var recordType = ""
  /// A field, or the role of a grant.
  var member = ""
}

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
    // Whether a type can be listed is a question about the type, wherever the line for the answer is or would be.
    if diagnostic.code == SchemaRule.missingRecordIDIndex.rule.code {
      return FindingSubject(code: diagnostic.code, recordType: type.name)
    }
    let field = type.fields.first { $0.range.contains(place) }?.name
    let role = type.grants.first { $0.range.contains(place) }.map { "TO \($0.grant.role)" }
    return FindingSubject(code: diagnostic.code, recordType: type.name, member: field ?? role ?? "")
  }

  private func recordType(at place: Int) -> RecordTypeDeclaration? {
    let next = parsed.recordTypes.partitioningIndex(where: { $0.range.lowerBound > place })
    guard next > 0, parsed.recordTypes[next - 1].range.contains(place) else { return nil }
    return parsed.recordTypes[next - 1]
  }
}
