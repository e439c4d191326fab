package import Diagnostics

/// The page of `schema docs` about a schema: types, the meaning of fields from the file's comments, grants in
/// words, and references.
package struct SchemaGuide: Report {
  private let parsed: ParsedSchema
  private let comments: CommentAttachment
  private let types: [RecordTypeDeclaration]
  private let links: FieldRelations
  private let title: String
  private let privateTypes: Set<String>

  /// The schema must have no errors.
  ///
  /// - Parameter options: the project's settings and queries, which state relations and databases.
  package init(_ parsed: ParsedSchema, title: String, options: LintOptions = LintOptions()) {
    self.parsed = parsed
    self.title = title
    privateTypes = options.privateTypes(in: parsed)
    let comments = CommentAttachment(parsed)
    self.comments = comments
    types = parsed.recordTypes
    links = FieldRelations(parsed, options.configuration.relations, comments)
  }

  /// The title for a file: its name without folders and extension.
  package static func name(of file: String) -> String {
    let name = file.split { $0 == "/" || $0 == ":" }.last.map(String.init) ?? file
    return name.hasSuffix(".ckdb") ? String(name.dropLast(5)) : name
  }

  package var json: JSONValue { .string(markdown.description) }

  /// A page in Markdown of its own, or its diagram alone.
  package func ownRendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText? {
    format == .mermaid
      ? PrintableText(document: SchemaDiagram(types, links).texts.joined(separator: "\n"))
      : PrintableText(markdown)
  }

  package var markdown: MarkdownText {
    var page: MarkdownText =
      "# \(title)\n\nMade by \(code: "celestra-admin schema docs"); change the schema and not this page.\n"
    let about = comments.words(.header)
    if !about.isEmpty { page += "\n\(about)\n" }
    page += roles + overview
    for diagram in SchemaDiagram(types, links).texts {
      page += "\n```mermaid\n\(verbatim: diagram)```\n"
    }
    for place in order { page += section(place) }
    return page
  }

  /// The app's own types by name, then CloudKit's.
  private var order: [Int] {
    types.indices.sorted { left, right in
      let isManaged = (SystemNames.isManaged(types[left].name), SystemNames.isManaged(types[right].name))
      return isManaged.0 == isManaged.1 ? types[left].name < types[right].name : isManaged.1
    }
  }

  private var roles: MarkdownText {
    guard !parsed.roles.isEmpty else { return "" }
    let names = parsed.roles.map { role -> MarkdownText in "\(code: role.name)" }
    return "\nRoles: \(names.joined(separator: ", ")).\n"
  }

  private var overview: MarkdownText {
    var table: MarkdownText = "\n| Record type | Fields | Holds |\n| --- | --- | --- |\n"
    for place in order {
      let about = CommentText.firstSentence(comments[.opening(place)])
      let count = types[place].fields.count { !$0.isSystem }
      table += "| \(tableCode: types[place].name) | \(count) | \(about) |\n"
    }
    return table
  }

  private func section(_ place: Int) -> MarkdownText {
    let type = types[place]
    var text: MarkdownText = "\n## \(type.name)\n"
    let about = comments.words(.opening(place))
    if !about.isEmpty { text += "\n\(about)\n" }
    text += "\n\(type.recordType.grantWords(privateTypes))\n"
    let own = type.fields.indices.filter { !type.fields[$0].isSystem }
    if !own.isEmpty {
      text += "\n| Field | Type | Indexes | Meaning |\n| --- | --- | --- | --- |\n"
      for index in own.sorted(by: { type.fields[$0].name < type.fields[$1].name }) {
        text += row(type.fields[index], place, index)
      }
    }
    return text + indexedSystemFields(of: type) + referrers(to: type)
  }

  private func row(_ field: FieldDeclaration, _ place: Int, _ index: Int) -> MarkdownText {
    let relation = links.of(types[place].name).first { $0.field == field.name }
    let words = comments.words(.field(place, index))
    // Only the relation that counts is shown, at the end.
    let stated = CommentText.pointedAt(comments[.field(place, index)])
    let meaning =
      relation == nil ? words : CommentText.withoutArrows(words) { $0 == stated || links.isTarget($0) }
    let refers = relation.map { relation -> MarkdownText in
      let space = meaning.isEmpty ? "" : " "
      guard relation.target != SystemNames.users else {
        return "\(space)→ \(relation.isToMany ? "many people" : "a person")"
      }
      return "\(space)→ \(relation.isToMany ? "many " : "")\(tableCode: relation.target)"
    }
    return
      "| \(tableCode: field.name) | \(tableCode: field.type?.description ?? "") | \(field.indexes.list) | \(meaning)\(refers ?? "") |\n"
  }

  private func indexedSystemFields(of type: RecordTypeDeclaration) -> MarkdownText {
    let fields = type.fields.filter { $0.isSystem && !$0.indexes.isEmpty }
    guard !fields.isEmpty else { return "" }
    let list = fields.map { field -> MarkdownText in
      "\(code: field.name) (\(field.indexes.list))"
    }
    return "\nIndexed system fields: \(list.joined(separator: ", ")).\n"
  }

  private func referrers(to type: RecordTypeDeclaration) -> MarkdownText {
    let list = links.to(type.name).map { link -> MarkdownText in "\(code: "\(link.type).\(link.field)")" }
    return list.isEmpty ? "" : "\nReferred to by \(list.joined(separator: ", ")).\n"
  }
}

/// A schema's types and references as Mermaid entity relationship diagrams.
struct SchemaDiagram {
  /// The maximum number of types in a diagram; more do not fit on a page.
  static let maxTypes = 40

  private let types: [RecordTypeDeclaration]
  private let links: FieldRelations

  init(_ types: [RecordTypeDeclaration], _ links: FieldRelations) {
    self.types = types.filter { !SystemNames.isManaged($0.name) }
    self.links = links
  }

  /// The diagrams, each with at most ``maxTypes`` types. A reference is in the diagram of the type with the field.
  var texts: [String] {
    stride(from: 0, to: types.count, by: Self.maxTypes).map { start in
      diagram(types[start..<min(start + Self.maxTypes, types.count)])
    }
  }

  private func diagram(_ types: ArraySlice<RecordTypeDeclaration>) -> String {
    var text = "erDiagram\n"
    for type in types {
      let fields = type.fields.filter { !$0.isSystem }
      guard !fields.isEmpty else {
        text += "  \(Self.entity(type.name))\n"
        continue
      }
      text += "  \(Self.entity(type.name)) {\n"
      for field in fields { text += "    \(Self.attribute(field))\n" }
      text += "  }\n"
    }
    for link in types.flatMap({ links.of($0.name) }) where link.target != SystemNames.users {
      let end = link.isToMany ? "}o--o{" : "}o--||"
      text += "  \(Self.entity(link.type)) \(end) \(Self.entity(link.target)) : \"\(link.field)\"\n"
    }
    return text
  }

  /// In quotes, because `class`, `style`, `end`, `to`, `one` and other names are words of Mermaid's grammar.
  private static func entity(_ name: String) -> String { "\"\(name)\"" }

  /// A field of a type. Mermaid takes no quotes here. Words that it reads as keys, and names with other characters,
  /// are changed, with the name as comment.
  private static func attribute(_ field: FieldDeclaration) -> String {
    let isKey = ["PK", "FK", "UK"].contains(field.name.uppercased())
    guard isKey || !field.name.utf8.allSatisfy(\.isIdentifierByte) else {
      return "\(type(field.type)) \(field.name)"
    }
    let name = field.name.replacing(".", with: "_") + (isKey ? "_" : "")
    return "\(type(field.type)) \(name) \"\(field.name)\""
  }

  /// Mermaid's types are one word.
  private static func type(_ type: DataType?) -> String {
    let word = (type?.primitive.description ?? "unknown").replacing(" ", with: "_")
    if case .list? = type { return "\(word)[]" }
    return word
  }
}

enum CommentText {
  static func words(_ comments: AttachedComments) -> String {
    (comments.leading + comments.trailing).map(words).filter { !$0.isEmpty && !$0.hasPrefix("celestra:") }
      .joined(separator: " ")
  }

  /// The name behind the arrow with which a comment begins: `// -> Type`.
  static func pointedAt(_ comments: AttachedComments) -> String? {
    (comments.leading + comments.trailing).lazy.compactMap { line -> String? in
      let text = words(line)
      guard let arrow = ["->", "→"].first(where: { text.hasPrefix($0) }) else { return nil }
      let name = text.dropFirst(arrow.count).drop { $0 == " " }.prefix {
        $0.isLetter || $0.isNumber || $0 == "_"
      }
      return name.first?.isUppercase ?? false ? String(name) : nil
    }.first
  }

  /// The text without the arrows that state a relation, and the names behind them.
  static func withoutArrows(_ text: String, to isTarget: (String) -> Bool) -> String {
    text.replacing(/(?:->|→)\s*(\w+)/) { isTarget(String($0.1)) ? "" : String($0.0) }
      .split(separator: " ").joined(separator: " ")
  }

  static func firstSentence(_ comments: AttachedComments) -> String {
    let text = words(comments)
    guard let end = text.firstRange(of: ". ")?.lowerBound else { return text }
    return String(text[..<end]) + "."
  }

  private static func words(_ line: AttachedComments.Line) -> String {
    let inside = line.isBlock ? line.text.dropFirst(2).dropLast(2) : line.text.dropFirst(2)
    return inside.split(whereSeparator: \.isNewline).map(content).filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  /// The words of a line without the marks around them: a rule, `// === Title ===`, the `*` of a block's lines. Marks
  /// between words are content.
  private static func content(_ line: Substring) -> String {
    func isFrame(_ word: Substring) -> Bool {
      word.allSatisfy { "*-=/".contains($0) } && (Set(word).count == 1 || word.count > 3)
    }
    let words = line.split(whereSeparator: \.isWhitespace)
    var inside = words.drop(while: isFrame)
    let isFramed = words.prefix(words.count - inside.count).contains { $0.count > 1 }
    while let last = inside.last, isFrame(last), isFramed || last.count > 2 { inside.removeLast() }
    return inside.joined(separator: " ")
  }
}

extension RecordType {
  /// Who has access. Grants only matter in the public database
  /// (Documentation/reference/schema-language.md#databases).
  package func grantWords(_ privateTypes: Set<String>) -> String {
    if privateTypes.contains(name), !SystemNames.isManaged(name) {
      return "It is in the private database, where grants have no effect."
    }
    guard !self.grants.isEmpty else {
      return "It has no grant: who has access in the public database is not known."
    }
    let grants = normalizedGrants.map { Grant($0.effective, to: $0.role) }.filter { !$0.privileges.isEmpty }
      .sorted { Self.rank($0.role) < Self.rank($1.role) }
    let sentences =
      grants.isEmpty
      ? ["No role has access in the public database."]
      : grants.map { "\(Self.subject($0.role)) may \(Self.verbs($0.privileges))." }
    let isIdle = privileges(of: Role.creator).contains(.create)
    return (sentences + (isIdle ? ["\(Grant.creatorCreates)."] : [])).joined(separator: " ")
  }

  private static func subject(_ role: String) -> String {
    switch role {
    case Role.world: "Anyone"
    case Role.icloud: "Anyone who is signed in"
    case Role.creator: "The creator of a record"
    default: "The role \(role)"
    }
  }

  /// WRITE includes deleting (Documentation/reference/schema-language.md#wide-grants).
  private static func verbs(_ privileges: EnumSet<Privilege>) -> String {
    let verbs = privileges.flatMap { privilege -> [String] in
      switch privilege {
      case .read: ["read"]
      case .create: ["create"]
      case .write: ["change", "delete"]
      }
    }
    guard verbs.count > 1, let last = verbs.last else { return verbs.first ?? "do nothing" }
    return verbs.dropLast().joined(separator: ", ") + " and \(last)"
  }

  /// The order of roles: from everyone to the smallest group.
  private static func rank(_ role: String) -> (Int, String) {
    ([Role.world, Role.icloud, Role.creator].firstIndex(of: role) ?? 3, role)
  }
}
