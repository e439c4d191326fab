/// The layout of two merged schemas, with the comments of both.
struct MergedSchemaLayout {
  private let base: ParsedSchema
  private let delta: ParsedSchema
  private let comments: (base: CommentAttachment, delta: CommentAttachment)
  private let text: CanonicalSchemaText
  private let schema: Schema

  /// - Parameter schema: the declarations to print, if not those of both.
  init(_ base: ParsedSchema, _ delta: ParsedSchema, schema: Schema? = nil) {
    self.base = base
    self.delta = delta
    comments = (CommentAttachment(base), CommentAttachment(delta))
    text = CanonicalSchemaText(names: NameQuoting([base, delta]))
    self.schema = schema ?? base.schema.merging(delta.schema)
  }

  var layout: SchemaLayout {
    let types = schema.recordTypes.sorted { byteOrder($0.name, $1.name) }
    var layout = SchemaLayout(statements: schema.roles.map(role) + types.map(type))
    layout.header = merged(.header, .header)
    layout.isHeaderApart = comments.base.isHeaderApart || comments.delta.isHeaderApart
    layout.footer = merged(.end, .end).leading
    return layout
  }

  private func role(_ role: Role) -> SchemaLayout.Statement {
    let owners = [base, delta].map { parsed in
      parsed.roles.firstIndex { $0.name == role.name }.map(CommentAttachment.Owner.role)
    }
    return SchemaLayout.Statement(comments: merged(owners[0], owners[1]), text: text.role(role.name))
  }

  private func type(_ type: RecordType) -> SchemaLayout.Statement {
    let places = [base, delta].map { parsed in parsed.recordTypes.firstIndex { $0.name == type.name } }
    let fields = type.fields.sorted { byteOrder($0.name, $1.name) }
    let width = text.columnWidth(fields)
    let members =
      fields.map { field in
        let owners = owners(places) { type, place in
          type.fields.indices.filter { type.fields[$0].name == field.name }.map { .field(place, $0) }
        }
        return SchemaLayout.Member(comments: merged(owners), text: text.field(field, width: width))
      }
      + type.normalizedGrants.map { grant in
        let owners = owners(places) { type, place in
          type.grants.indices.filter { type.grants[$0].grant.role == grant.role }.map { .grant(place, $0) }
        }
        return SchemaLayout.Member(comments: merged(owners), text: text.grant(grant))
      }
    return SchemaLayout.Statement(
      comments: merged(places[0].map { .opening($0) }, places[1].map { .opening($0) }),
      text: text.opening(type.name),
      body: SchemaLayout.Body(
        members: members,
        closing: merged(places[0].map { .closing($0) }, places[1].map { .closing($0) })))
  }

  // MARK: Comments

  private typealias Owners = (base: [CommentAttachment.Owner], delta: [CommentAttachment.Owner])

  private func owners(
    _ places: [Int?], _ find: (RecordTypeDeclaration, Int) -> [CommentAttachment.Owner]
  ) -> Owners {
    (
      places[0].map { find(base.recordTypes[$0], $0) } ?? [],
      places[1].map { find(delta.recordTypes[$0], $0) } ?? []
    )
  }

  private func merged(_ base: CommentAttachment.Owner?, _ delta: CommentAttachment.Owner?) -> AttachedComments
  {
    merged(([base].compactMap(\.self), [delta].compactMap(\.self)))
  }

  /// The comments of both, without repeated ones.
  private func merged(_ owners: Owners) -> AttachedComments {
    var result = AttachedComments()
    for owner in owners.base { result.append(comments.base[owner]) }
    let known = Set((result.leading + result.trailing).map(\.text))
    for owner in owners.delta {
      let other = comments.delta[owner]
      result.leading += other.leading.filter { !known.contains($0.text) }
      result.trailing += other.trailing.filter { !known.contains($0.text) }
    }
    return result.fitting
  }
}
