package import Catalog
internal import CloudKitModel
package import Diagnostics
internal import RecordChanges

extension SeedPull {
  /// A field that differs between files and container, where neither side takes precedence.
  package struct Conflict: Sendable, Hashable {
    package let kind: SeedKind
    package let slug: String
    package let field: String
    package let file: JSONValue?
    package let container: JSONValue?
    /// Why the files cannot take the container's value; `nil` if they can.
    package var obstacle: String?
  }
}

extension SeedField {
  /// Why the files cannot take a value that the container got.
  func obstacle(to stored: FieldValue?, file mine: JSONValue?, container theirs: JSONValue?) -> String? {
    if form == .slug { return "the files decide about slugs" }
    if let usual, usual.array == nil, value(of: stored, slug: { $1 }) == .absent {
      return "a seed without a value has the default \(SeedWorkspace.Change.shown(usual))"
    }
    guard mine == theirs else { return nil }
    return form == .references(.feed)
      ? "a list of a seed has each feed once" : "in a seed it is the value that the files have"
  }
}

/// How the value of a container is shown beside that of the files.
extension ContainerCatalog {
  /// A stored value with slugs in place of references.
  func shown(_ stored: FieldValue?, _ field: SeedField) -> JSONValue? {
    guard case .references = field.form else { return stored?.plainJSON }
    return withSlugs((stored?.references ?? []).json, field)
  }

  /// A value with slugs in place of record names.
  func withSlugs(_ value: JSONValue?, _ field: SeedField) -> JSONValue? {
    guard case .references(let kind) = field.form else { return value }
    return .array((value?.strings ?? []).map { .string(slug(kind, $0) ?? $0) })
  }
}
