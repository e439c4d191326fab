package import Diagnostics

/// Applies the fixes that are certainly right. Guesses, such as a suggested spelling, are left as findings.
package enum SchemaFixer {
  private static let codes: Set<String> = [
    SyntaxCode.byteOrderMark.rawValue, SyntaxCode.punctuation.rawValue, SyntaxCode.needsQuotes.rawValue,
    SyntaxCode.keywordCase.rawValue, SchemaRule.systemFieldType.code,
    SchemaRule.missingRecordIDIndex.code, SchemaRule.creatorMayCreate.code,
  ]

  /// Whether a finding has a fix that is certainly right. Of unknown types those of other languages have one.
  package static func isCertain(_ finding: Diagnostic, in parsed: ParsedSchema) -> Bool {
    guard let fix = finding.fix, fix.range.source === parsed.source, let place = finding.range,
      // A fix that replaces several words, such as a grant, would remove a comment between them.
      !parsed.comments.contains(where: { fix.range.offsets.contains($0.range.lowerBound) })
    else { return false }
    guard finding.code == SyntaxCode.unknownType.rawValue else { return codes.contains(finding.code) }
    return Parser.type(insteadOf: place.source.text(in: place.offsets).uppercased()) != nil
  }

  /// The maximum number of rounds: a fix may uncover another finding.
  private static let maxRounds = 8

  /// Applies the safe fixes. Everything else stays unchanged, including comments and layout.
  package static func fix(_ source: SourceText, _ options: LintOptions = LintOptions()) -> (
    text: String, count: Int
  ) {
    var source = source
    var count = 0
    for _ in 0..<maxRounds {
      let parsed = SchemaParser.parse(source)
      let made = corrections(SchemaLinter.diagnostics(parsed, options), of: parsed)
      guard !made.isEmpty else { break }
      count += made.count
      source = SourceText(name: source.name, bytes: applying(made, to: source.bytes))
    }
    return (source.text(in: 0..<source.bytes.count), count)
  }

  private typealias Correction = (range: Range<Int>, text: String)

  private static func corrections(_ found: [Diagnostic], of parsed: ParsedSchema) -> [Correction] {
    var all: [Correction] = []
    for diagnostic in found where isCertain(diagnostic, in: parsed) {
      guard let fix = diagnostic.fix else { continue }
      if diagnostic.code == SyntaxCode.keywordCase.rawValue {
        // One finding covers all keywords in the file.
        all += parsed.miscasedKeywords.map { ($0, parsed.source.text(in: $0).uppercased()) }
      } else {
        all.append((fix.range.offsets, fix.replacement))
      }
    }
    all.sort { $0.range.lowerBound < $1.range.lowerBound }
    var end = 0
    return all.filter { correction in
      guard correction.range.lowerBound >= end else { return false }
      end = correction.range.upperBound
      return true
    }
  }

  private static func applying(_ corrections: [Correction], to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + corrections.count * 16)
    var position = 0
    for correction in corrections {
      result += bytes[position..<correction.range.lowerBound]
      result += correction.text.utf8
      position = correction.range.upperBound
    }
    return result + bytes[position...]
  }
}
