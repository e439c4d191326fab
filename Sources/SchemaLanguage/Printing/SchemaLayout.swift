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
  /// A schema without comments.
  init(_ schema: Schema) {
    let text = CanonicalSchemaText()
    let types = schema.recordTypes.sorted { byteOrder($0.name, $1.name) }
    statements =
      schema.roles.map { Statement(text: text.role($0.name)) }
      + types.map { type in
        let fields = type.fields.sorted { byteOrder($0.name, $1.name) }
        let width = text.columnWidth(fields)
        let members =
          fields.map { Member(text: text.field($0, width: width)) }
          + type.normalizedGrants.map { Member(text: text.grant($0)) }
        return Statement(text: text.opening(type.name), body: Body(members: members))
      }
  }

  /// A parsed text with its comments.
  init(_ parsed: ParsedSchema, keepsOrder: Bool = false) {
    let comments = CommentAttachment(parsed)
    let text = CanonicalSchemaText(names: NameQuoting(parsed))
    header = comments[.header]
    isHeaderApart = comments.isHeaderApart
    footer = comments[.end].leading
    var types = Array(parsed.recordTypes.enumerated())
    if !keepsOrder { types.sort { byteOrder($0.element.name, $1.element.name) } }
    statements =
      parsed.roles.enumerated().map {
        Statement(comments: comments[.role($0.offset)], text: text.role($0.element.name))
      } + types.map { Self.statement($0.element, at: $0.offset, comments, text) }
  }

  private static func statement(
    _ type: RecordTypeDeclaration, at place: Int, _ comments: CommentAttachment, _ text: CanonicalSchemaText
  ) -> Statement {
    let fields = type.fields.enumerated().sorted { byteOrder($0.element.name, $1.element.name) }
    let width = text.columnWidth(fields.compactMap(\.element.field))
    var members: [Member] = fields.compactMap { index, declaration in
      declaration.field.map {
        Member(comments: comments[.field(place, index)], text: text.field($0, width: width))
      }
    }
    for grant in type.recordType.normalizedGrants {
      var attached = AttachedComments()
      for (index, declaration) in type.grants.enumerated() where declaration.grant.role == grant.role {
        attached.append(comments[.grant(place, index)])
      }
      members.append(Member(comments: attached.fitting, text: text.grant(grant)))
    }
    return Statement(
      comments: comments[.opening(place)], text: text.opening(type.name),
      body: Body(members: members, closing: comments[.closing(place)]))
  }
}
