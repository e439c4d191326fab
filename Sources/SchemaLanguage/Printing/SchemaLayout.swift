/// A schema in canonical order, with each declaration rendered and its comments attached: the input of the printer.
struct SchemaLayout {
  /// A role, or a record type with its members.
  struct Statement {
    var comments = AttachedComments()
    /// `CREATE ROLE x;` or `RECORD TYPE x (`
    var text: String
    /// `nil` for a role.
    var body: Body?
  }

  /// What is between the parentheses of a record type.
  struct Body {
    var members: [Member]
    /// Before `);` and after it.
    var closing = AttachedComments()
  }

  /// A field or a grant.
  struct Member {
    var comments = AttachedComments()
    var text: String
  }

  var header = AttachedComments()
  var isHeaderApart = false
  var statements: [Statement]
  var footer: [AttachedComments.Line] = []
}

extension SchemaLayout {
  /// The declarations of a schema, with the comments of the texts that have them.
  ///
  /// - Parameter keepsOrder: leaves the record types in the order of the schema.
  init(_ schema: Schema, commentedIn texts: [ParsedSchema] = [], keepsOrder: Bool = false) {
    var comments = NamedComments(texts)
    let text = CanonicalSchemaText(names: NameQuoting(texts))
    header = comments.merged { _ in [.header] }
    isHeaderApart = comments.texts.contains(where: \.attached.isHeaderApart)
    footer = comments.merged { _ in [.end] }.leading
    let types = keepsOrder ? schema.recordTypes : schema.recordTypes.sorted { byteOrder($0.name, $1.name) }
    statements =
      schema.roles.map { role in
        Statement(comments: comments.of(role), text: text.role(role.name))
      } + types.map { Self.statement($0, &comments, text) }
  }

  private static func statement(
    _ type: RecordType, _ comments: inout NamedComments, _ text: CanonicalSchemaText
  ) -> Statement {
    comments.enter(type)
    let fields = type.fields.sorted { byteOrder($0.name, $1.name) }
    let width = text.columnWidth(fields)
    let members =
      fields.map { Member(comments: comments.of($0), text: text.field($0, width: width)) }
      + type.normalizedGrants.map { Member(comments: comments.of($0), text: text.grant($0)) }
    return Statement(
      comments: comments.ofType { .opening($0) }, text: text.opening(type.name),
      body: Body(members: members, closing: comments.ofType { .closing($0) }))
  }
}

/// The comments of texts by the names of what they describe. Of several declarations with one name, each gets its own.
private struct NamedComments {
  struct Text {
    let parsed: ParsedSchema
    let attached: CommentAttachment
    var roles: Places
    var types: Places
    /// The record type that was entered; `nil` if the text does not have it.
    var type: Int?
    var fields = Places([])
  }

  /// The indexes of declarations that no one has asked for yet, by name.
  struct Places {
    private var byName: [String: ArraySlice<Int>]

    init(_ names: [String]) {
      byName = Dictionary(grouping: names.indices) { names[$0] }.mapValues { $0[...] }
    }

    mutating func next(_ name: String) -> Int? { byName[name]?.popFirst() }
  }

  private(set) var texts: [Text]

  init(_ texts: [ParsedSchema]) {
    self.texts = texts.map {
      Text(
        parsed: $0, attached: CommentAttachment($0), roles: Places($0.roles.map(\.name)),
        types: Places($0.recordTypes.map(\.name)))
    }
  }

  /// Goes on to a record type, which the calls for its members are about.
  mutating func enter(_ type: RecordType) {
    for index in texts.indices {
      texts[index].type = texts[index].types.next(type.name)
      let fields = texts[index].type.map { texts[index].parsed.recordTypes[$0].fields } ?? []
      texts[index].fields = Places(fields.map(\.name))
    }
  }

  mutating func of(_ role: Role) -> AttachedComments {
    merged { text in text.roles.next(role.name).map { [.role($0)] } ?? [] }
  }

  mutating func of(_ field: Field) -> AttachedComments {
    merged { text in
      guard let type = text.type, let place = text.fields.next(field.name) else { return [] }
      return [.field(type, place)]
    }
  }

  mutating func of(_ grant: Grant) -> AttachedComments {
    merged { text in
      guard let type = text.type else { return [] }
      let grants = text.parsed.recordTypes[type].grants
      return grants.indices.filter { grants[$0].grant.role == grant.role }.map { .grant(type, $0) }
    }
  }

  mutating func ofType(_ part: (Int) -> CommentAttachment.Owner) -> AttachedComments {
    merged { text in text.type.map { [part($0)] } ?? [] }
  }

  /// The comments of all texts. One that an earlier text has is not repeated.
  mutating func merged(_ owners: (inout Text) -> [CommentAttachment.Owner]) -> AttachedComments {
    var result = AttachedComments()
    for index in texts.indices {
      let known = Set((result.leading + result.trailing).map(\.text))
      for owner in owners(&texts[index]) {
        let comments = texts[index].attached[owner]
        result.leading += comments.leading.filter { !known.contains($0.text) }
        result.trailing += comments.trailing.filter { !known.contains($0.text) }
      }
    }
    return result.fitting
  }
}
