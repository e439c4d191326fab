import Diagnostics

// Converts the JSON object of an entry to its values and reports findings. An invalid value is left out; its finding
// is an error, so the catalog is not used.

extension JSONObjectReader {
  /// An entry of a kind, as `fields` declare it.
  init(_ node: JSONNode, in source: SourceText, kind: SeedKind, fields: SeedFields) {
    self.init(node, in: source, phrase: "a \(kind.rawValue)")
    checkKeys(of: fields[kind], computedIn: kind.recordType)
  }

  /// The values of an entry. A default that is written out is left out.
  ///
  /// - Parameter inherited: values for keys that the entry leaves out.
  mutating func values(_ fields: [SeedField], inherited: [String: String] = [:]) -> SeedValues {
    var values = SeedValues()
    for field in fields {
      if let value = inherited[field.key], !has(field.key) {
        values[field.key] = .string(value)
      } else if let value = value(of: field), value != field.usual {
        values[field.key] = value
      }
    }
    return values
  }

  private mutating func value(of field: SeedField) -> JSONValue? {
    let key = field.key
    guard has(key) || field.isRequired else { return nil }
    switch field.form {
    case .flag: return flag(key).map(JSONValue.bool)
    case .integer: return integer(key).map(JSONValue.integer)
    case .tags: return .array(tags(key).map(JSONValue.string))
    case .slugs, .references:
      return .array(texts(key, required: field.isRequired).map { .string($0.text) })
    case .language: return language(key).map(JSONValue.string)
    case .text, .slug, .recordName, .address, .icon, .color, .reference:
      guard let text = field.isRequired ? requiredText(key) : text(key) else { return nil }
      if let node = node[key], let (rule, message) = node.string.flatMap(field.problem) {
        report(rule, message, at: node)
      }
      return .string(text)
    }
  }

  /// A feed, with what an entry may leave out: slug, category, and that a replaced feed is retired. A language that is
  /// written is kept, also the usual one, so that exports show that it is known.
  ///
  /// - Parameter fileCategory: the category the file gives to feeds that name none.
  mutating func feed(_ fields: SeedFields, fileCategory: String?) -> SeedFeed {
    var feed = SeedFeed(values(fields.feed, inherited: fileCategory.map { ["category": $0] } ?? [:]))
    if !has("slug") { feed.slug = Slug.derived(fromTitle: feed.title) ?? "" }
    if has("language") { feed.language = feed.language }
    if feed.replacedBy != nil { feed.isRetired = !has("retired") || feed.isRetired }
    return feed
  }

  mutating func collection(_ fields: SeedFields) -> SeedCollection {
    let collection = SeedCollection(values(fields.collection))
    if let list = node["feeds"], list.elements?.isEmpty == true {
      report(.emptyCollection, "the collection '\(collection.title)' has no feeds", at: list)
    }
    return collection
  }
}
