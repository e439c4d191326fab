package import Diagnostics

package struct FieldRelation: Sendable, Hashable {
  package let type: String
  package let field: String
  package let target: String
  package let isToMany: Bool
}

/// What the fields of a schema refer to. The language does not declare it. The first of these applies:
/// `schema.relations` in celestra-admin.json; a comment `// -> Type` at the field; for a REFERENCE, the one type that
/// its comment names, or that its name means; for text, a name such as `folderId` for a type `Folder`.
struct FieldRelations {
  let all: [FieldRelation]
  private let byType: [String: [FieldRelation]]
  private let byTarget: [String: [FieldRelation]]
  private let names: TypeNames

  /// Also those to `Users`, which stands for a person.
  func of(_ type: String) -> [FieldRelation] { byType[type] ?? [] }
  func to(_ target: String) -> [FieldRelation] { byTarget[target] ?? [] }
  /// Whether an arrow to the name states a relation.
  func isTarget(_ name: String) -> Bool { names.isTarget(name) }

  init(_ parsed: ParsedSchema, _ declared: [DeclaredRelation], _ comments: CommentAttachment) {
    let names = TypeNames(parsed.relationTargets)
    let stated = declared.byField
    var relations: [FieldRelation] = []
    for (place, type) in parsed.recordTypes.enumerated() {
      for (index, field) in type.fields.enumerated() where !field.isSystem && field.canRefer {
        let comment = comments.words(.field(place, index))
        let pointed = TypeNames.pointed(by: comment).flatMap { names.isTarget($0) ? $0 : nil }
        let target =
          stated["\(type.name).\(field.name)"]?.target ?? pointed
          ?? names.target(of: field, comment: comment, in: type.name)
        guard let target, names.isTarget(target) else { continue }
        relations.append(
          FieldRelation(type: type.name, field: field.name, target: target, isToMany: field.isList))
      }
    }
    all = relations.filter { $0.target != SystemNames.users }
    self.names = names
    byType = Dictionary(grouping: relations, by: \.type)
    byTarget = Dictionary(grouping: all, by: \.target)
  }
}

/// An entry of `schema.relations`: `{"Message.to": "Class"}`. The target `Users` says that the field names a person
/// (``PersonFields``).
package struct DeclaredRelation: Sendable, Hashable {
  /// `Message.to`
  let key: String
  let target: String
  let place: SourceRange

  /// Whether it says that the field names a person; `nil` for a type about people, such as `Player`: the field's name decides.
  var namesPerson: Bool? {
    target == SystemNames.users ? true : PersonalDataNames.isPerson(target) ? nil : false
  }
}

extension [DeclaredRelation] {
  var byField: [String: DeclaredRelation] {
    Dictionary(map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension [String: DeclaredRelation] {
  /// Whether the project declares that a field names a person; `nil` if it does not say it.
  func namesPerson(_ field: String, of type: String) -> Bool? {
    isEmpty ? nil : self["\(type).\(field)"]?.namesPerson
  }
}

extension Schema {
  /// The schema as its canonical text would be read.
  package var parsed: ParsedSchema { SchemaParser.parse(SourceText(name: "schema", canonicalText)) }
}

extension ParsedSchema {
  /// The record types that fields refer to, as far as settings, comments and names show it.
  ///
  /// - Parameter declared: `schema.relations` of the project.
  package func relations(_ declared: [DeclaredRelation] = []) -> [FieldRelation] {
    FieldRelations(self, declared, CommentAttachment(self)).all
  }

  /// The relations that a comment states with an arrow: `// -> Type`.
  func statedRelations(_ comments: CommentAttachment) -> [FieldRelation] {
    let names = Set(recordTypes.map(\.name))
    return recordTypes.enumerated().flatMap { place, type in
      type.fields.enumerated().compactMap { index, field in
        TypeNames.pointed(by: comments.words(.field(place, index))).flatMap {
          names.contains($0)
            ? FieldRelation(type: type.name, field: field.name, target: $0, isToMany: field.isList) : nil
        }
      }
    }
  }

  /// Warnings about comments `// -> Type` at fields that name no record type of the app.
  package var unknownStatedRelations: [Diagnostic] { unknownStatedRelations(CommentAttachment(self)) }

  func unknownStatedRelations(_ attached: CommentAttachment) -> [Diagnostic] {
    guard !comments.isEmpty else { return [] }
    let types = relationTargets
    return recordTypes.enumerated().flatMap { place, type in
      type.fields.enumerated().compactMap { index, field -> Diagnostic? in
        guard field.canRefer,
          let target = CommentText.pointedAt(attached[.field(place, index)]), !types.contains(target)
        else { return nil }
        let setting = "{\"schema\": {\"relations\": {\"\(type.name).\(field.name)\": \"\(target)\"}}}"
        return Diagnostic(
          SchemaCode.unreadableSettings, Self.refusal(ofTarget: target),
          at: source.range(field.nameRange), severity: .warning,
          help: target == SystemNames.users
            ? "write \(setting) into celestra-admin.json to say that the field names a person"
            : SpellingSuggestion.help(target, among: types))
      }
    }
  }

  /// No relation is shown or generated for a type that CloudKit manages.
  fileprivate var relationTargets: [String] {
    recordTypes.map(\.name).filter { !SystemNames.isManaged($0) }
  }

  fileprivate static func refusal(ofTarget target: String) -> String {
    SystemNames.isManaged(target)
      ? "a relation is to a type of the app, not to '\(target)'" : "no record type is named '\(target)'"
  }
}

extension LintConfiguration {
  /// Findings about relations whose field or target none of the schemas has: one would have no effect, or make a field that
  /// names a person look like another. `Users` is always a target.
  package func unknownRelations(in schemas: [ParsedSchema]) -> [Diagnostic] {
    guard !relations.isEmpty else { return [] }
    let fields = schemas.flatMap(\.recordTypes).flatMap { type in
      type.fields.map { "\(type.name).\($0.name)" }
    }
    let types = schemas.flatMap(\.relationTargets) + [SystemNames.users]
    return relations.compactMap { relation in
      let isField = fields.contains(relation.key)
      guard !isField || !types.contains(relation.target) else { return nil }
      return Diagnostic(
        SchemaCode.unreadableSettings,
        isField
          ? ParsedSchema.refusal(ofTarget: relation.target) : "the schema has no field '\(relation.key)'",
        at: relation.place,
        help: SpellingSuggestion.help(
          isField ? relation.target : relation.key, among: isField ? types : fields))
    }
  }
}

extension FieldDeclaration {
  fileprivate var isList: Bool { if case .list? = type { true } else { false } }

  fileprivate var canRefer: Bool {
    switch type?.primitive {
    case .reference, .plain(.string), .encrypted(.string): true
    default: false
    }
  }

  /// The words before `Id`, `Ref` and similar endings: `feed` for `feedIds`. `nil` without such an ending.
  fileprivate var referenceStem: [String]? {
    let words = IdentifierWords(name).words
    let long = [["record", "name"], ["record", "id"]].contains(Array(words.suffix(2)))
    let short = words.last.map { ["id", "ref", "reference"].contains($0) } ?? false
    guard long || short else { return nil }
    let stem = Array(words.dropLast(long ? 2 : 1))
    return stem.isEmpty ? nil : stem
  }
}

/// The names of a schema's types, found by their words without a search through all types.
private struct TypeNames {
  private let names: Set<String>
  /// The first type with these words.
  private let byWords: [[String]: String]
  /// The types whose names end with a word.
  private let byLastWord: [String: [String]]

  init(_ names: [String]) {
    self.names = Set(names)
    let words = names.map { (name: $0, words: IdentifierWords($0).words) }
    byWords = Dictionary(words.map { ($0.words, $0.name) }) { first, _ in first }
    byLastWord = Dictionary(grouping: words.filter { !$0.words.isEmpty }) { $0.words[$0.words.count - 1] }
      .mapValues { $0.map(\.name) }
  }

  func isTarget(_ name: String) -> Bool { name == SystemNames.users || names.contains(name) }

  /// The word after an arrow: `-> PublicFeed`.
  static func pointed(by comment: String) -> String? {
    guard let arrow = comment.firstRange(of: "->") ?? comment.firstRange(of: "→") else { return nil }
    return words(comment[arrow.upperBound...]).first
  }

  /// The type that a field refers to by its comment or name.
  func target(of field: FieldDeclaration, comment: String, in own: String) -> String? {
    let isReference = field.type?.primitive == .reference
    if isReference, let named = named(in: comment, except: own) { return named }
    let stem = field.referenceStem
    let words = stem ?? (isReference ? IdentifierWords(field.name).words : [])
    if words == ["parent"] { return byWords[words] ?? own }
    if isReference { return meant(by: words) }
    return stem.flatMap { byWords[$0] }.flatMap { $0 == own ? nil : $0 }
  }

  private func named(in comment: String, except own: String) -> String? {
    let found = Set(Self.words(comment)).filter { names.contains($0) && $0 != own }
    return found.count == 1 ? found.first : nil
  }

  private static func words(_ text: some StringProtocol) -> [String] {
    String(text).split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }

  /// The type with these words, or the only one that ends with the last of them: `category` is a `FeedCategory`.
  private func meant(by words: [String]) -> String? {
    guard let last = words.last else { return nil }
    if let exact = byWords[words] { return exact }
    let candidates = byLastWord[last] ?? []
    return candidates.count == 1 ? candidates[0] : nil
  }
}
