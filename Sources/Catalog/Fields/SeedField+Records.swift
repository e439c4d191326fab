package import CloudKitModel
package import Diagnostics

package enum StoredSeedValue: Sendable, Hashable {
  case absent
  case value(JSONValue)
  /// No seed may have the value, for this reason.
  case invalid(String)
}

extension SeedField {
  package var fieldType: FieldType {
    switch form {
    case .text, .slug, .recordName, .address, .icon, .color, .language: .scalar(.string)
    case .flag, .integer: .scalar(.int64)
    case .tags, .slugs: .list(.string)
    case .reference: .scalar(.reference)
    case .references: .list(.reference)
    }
  }

  /// The value in the record. References to entries without a record are left out.
  func stored(_ value: JSONValue?, _ names: SeedRecordNames) -> FieldValue? {
    switch form {
    case .text, .slug, .recordName, .address, .icon, .color, .language: value?.string.map(FieldValue.string)
    case .flag: value?.bool.map(FieldValue.flag)
    case .integer: value?.integer.map(FieldValue.int64)
    case .tags, .slugs: .strings(value?.strings ?? [])
    case .reference(let kind): value?.string.flatMap { names[kind, $0] }.map { .reference(Reference($0)) }
    case .references(let kind): .references((value?.strings ?? []).compactMap { names[kind, $0] })
    }
  }

  /// Reads the value of the record's field, by the rules of seeds. A blank text counts as absent.
  ///
  /// - Parameter slug: the slug of the entry with a record name.
  package func value(of stored: FieldValue?, slug: (SeedKind, String) -> String?) -> StoredSeedValue {
    guard let stored else { return .absent }
    switch (form, stored) {
    case (.flag, .int64(let number)) where number == 0 || number == 1: return .value(.bool(number == 1))
    case (.flag, .int64(let number)): return .invalid("the value is \(number), not 0 or 1")
    case (.integer, .int64(let number)): return .value(.integer(number))
    case (.reference(let kind), .reference(let target)):
      return slug(kind, target.recordName).map { .value(.string($0)) }
        ?? .invalid("the container has no \(kind.rawValue) record \(target.recordName)")
    case (.references(let kind), .list(.reference, let targets)):
      return .value(texts: targets.compactMap { $0.reference.flatMap { slug(kind, $0.recordName) } })
    case (.tags, .list(.string, let elements)), (.slugs, .list(.string, let elements)):
      let texts = elements.compactMap { $0.string?.composed }
      if let (_, problem) = texts.lazy.compactMap(problem).first { return .invalid(problem) }
      return .value(texts: texts)
    case (.language, .string(let text)):
      return LanguageCodes.code(text).map { .value(.string($0)) }
        ?? .invalid("'\(text)' is not an ISO 639-1 language code")
    case (_, .string(let text)) where fieldType == .scalar(.string):
      if text.allSatisfy(\.isWhitespace) { return .absent }
      return problem(in: text.composed).map { .invalid($0.message) } ?? .value(.string(text.composed))
    default: return .invalid("the field has the type \(stored.type), not \(fieldType)")
    }
  }

  package func accepts(_ text: String) -> Bool { problem(in: text) == nil }

  /// The rule that a text breaks, with the finding's message; `nil` for a valid one.
  func problem(in text: String) -> (rule: SeedRule, message: String)? {
    if let problem = SeedValueRules.control(text) { return (.unusableText, problem) }
    return switch form {
    case .slug: SeedValueRules.slug(text).map { (.badSlug, $0) }
    case .recordName: SeedValueRules.recordName(text).map { (.badRecordName, $0) }
    case .address: WebAddress.problem(with: text).map { (.badURL, $0) }
    case .icon: SeedValueRules.icon(text).map { (.badIcon, $0) }
    case .color: SeedValueRules.color(text).map { (.badColor, $0) }
    case .tags: SeedValueRules.tag(text).map { (.badTag, $0) }
    default: nil
    }
  }
}

extension StoredSeedValue {
  /// A list without its repetitions.
  fileprivate static func value(texts: [String]) -> StoredSeedValue {
    var seen: Set<String> = []
    return .value(.array(texts.filter { seen.insert($0).inserted }.map(JSONValue.string)))
  }
}
