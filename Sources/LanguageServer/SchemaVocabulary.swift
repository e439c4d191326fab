internal import SchemaLanguage

/// What the words of a schema mean, for a person who edits one (Documentation/reference/schema-language.md): the lines of
/// `Vocabulary.txt`.
enum SchemaVocabulary {
  private static let meanings: [String: String] = Dictionary(
    uniqueKeysWithValues: String(decoding: PackageResources.Vocabulary_txt, as: UTF8.self)
      .split(separator: "\n").compactMap { line in
        line.firstRange(of: ": ").map { (String(line[..<$0.lowerBound]), String(line[$0.upperBound...])) }
      })

  /// The meaning of a keyword, of a role that CloudKit has, or of a system field, in Markdown; `nil` for a word that
  /// explains itself.
  static func meaning(of word: String) -> String? { meanings[word] }

  static let types = Keyword.allCases.filter { $0.startsType && $0 != .number }
    .sorted { $0.rawValue < $1.rawValue }

  /// The options that a field of a type can have, without a sort by values that have no order.
  static func options(of type: DataType?) -> [Keyword] {
    guard let type else { return [.queryable, .sortable] }
    return type.possibleIndexes.filter { $0 != .sortable || type.hasOrder }
      .compactMap { Keyword(rawValue: $0.rawValue) }
  }

  /// What begins a comment about a finding; its code and the reason follow.
  static let ignoring = "celestra:ignore "

  /// The marks of this tool in comments.
  static let marks: [(text: String, meaning: String)] = [
    ("\(ignoring)CODE reason", "Does not report this finding here. The reason is part of it."),
    ("celestra:private", "The type is of the private database: rules about other readers skip it."),
    ("celestra:public", "The type is of the public database, although it looks private."),
  ]
}
