package import Catalog
internal import CloudKitModel
package import Diagnostics
internal import RecordChanges

extension SeedPull {
  mutating func take(
    _ field: SeedField, _ value: JSONValue?, of entry: ContainerCatalog.Entry, _ seeds: inout SeedWorkspace
  ) {
    var value = value == field.usual ? nil : value
    let (slug, kind) = (entry.slug, entry.kind)
    switch field.key {
    case "category" where seeds.fileCategory(ofFeed: slug) == value?.string: value = nil
    case "isFeatured" where entry.values["retired"] == true: return
    case "retired":
      if value == true { retired.insert(slug) } else { retired.remove(slug) }
      if entry.values["replacedBy"] != nil { value = value ?? false }
      // While the feed was retired, its 'isFeatured' in the file had no effect. It must not get one now.
      if value != true, entry.values["isFeatured"] == nil, !entry.unusable.contains("isFeatured") {
        seeds.set("isFeatured", of: slug, kind: kind, to: nil)
      }
    case "replacedBy":
      let isTaken = seeds.changes.contains {
        $0.kind == kind && $0.slug == slug && $0.fields["retired"] != nil
      }
      let isRetired = seeds.catalog.feeds.first { $0.slug == slug }?.isRetired == true
      // Without 'retired', a feed with 'replacedBy' is retired, and one without it is not.
      if !isTaken, isRetired == (value == nil) {
        seeds.set("retired", of: slug, kind: kind, to: .bool(isRetired))
      }
    case "title" where kind == .feed && Slug.derived(fromTitle: value?.string ?? "") != slug:
      // A feed without a slug in the files has the one of its title. Others name it so.
      seeds.set("slug", of: slug, kind: kind, to: .string(slug))
    case "feeds":
      value = withoutRetired(value, slug)
      listsTaken.insert(slug)
    case "feedURL" where entry.needsRecordName:
      seeds.set("recordName", of: slug, kind: kind, to: .string(entry.recordName))
    default: break
    }
    seeds.set(field.key, of: slug, kind: kind, to: value)
    taken.add(field.recordField.flatMap { entry.record[$0] }, field, of: entry.recordName, .pulled)
  }

  /// A list of a collection without the feeds that are retired in the files after this pull, which no collection may list.
  mutating func withoutRetired(_ list: JSONValue?, _ collection: String) -> JSONValue? {
    guard let list, !retired.isDisjoint(with: list.strings) else { return list }
    for slug in list.strings where retired.contains(slug) {
      diagnostics.report(
        CurationRule.unusableValue,
        "the feed '\(slug)' is retired, so the pull leaves it out of the list of the collection '\(collection)'",
        help: "The next apply takes it out of the record's list.")
    }
    return .array(list.strings.filter { !retired.contains($0) }.map(JSONValue.string))
  }

  mutating func add(_ entry: ContainerCatalog.Entry, _ seeds: inout SeedWorkspace) {
    for field in SeedFields.celestra[entry.kind] {
      guard let name = field.recordField else { continue }
      taken.add(entry.record[name], field, of: entry.recordName, .pulled)
    }
    var values = entry.values
    if values["retired"] == true { retired.insert(entry.slug) }
    if entry.kind == .collection { values["feeds"] = withoutRetired(values["feeds"], entry.slug) }
    if values["replacedBy"] != nil { values["retired"] = values["retired"] ?? false }
    if entry.needsRecordName { values["recordName"] = .string(entry.recordName) }
    if entry.kind == .feed {
      seeds.add(SeedFeed(values), category: values["category"]?.string ?? "")
    } else {
      seeds.add(values.json(of: entry.kind), slug: entry.slug, kind: entry.kind)
    }
  }
}

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

/// Merges lists that files and container both changed: tags as sets, the feeds of a collection element by element.
enum ThreeWayMerge {
  /// `nil` if the field is not a list, and if both sides moved elements.
  static func merged(
    _ field: String, base: JSONValue?, file: JSONValue?, container: JSONValue?
  ) -> JSONValue? {
    let merged: [JSONValue]? =
      switch field {
      case "tags": mergedSet(base.elements, file.elements, container.elements)
      case "feeds": mergedList(base.elements, file.elements, container.elements)
      default: nil
      }
    return merged.map(JSONValue.array)
  }

  /// The file's order without the elements that the container removed, and with those that it added at the end.
  static func mergedSet(_ base: [JSONValue], _ file: [JSONValue], _ container: [JSONValue]) -> [JSONValue] {
    let (before, there) = (Set(base), Set(container))
    let kept = file.filter { !before.contains($0) || there.contains($0) }
    let here = Set(file)
    return kept + container.filter { !before.contains($0) && !here.contains($0) }
  }

  /// `nil` if both sides moved elements, or added one in different places.
  static func mergedList(_ base: [JSONValue], _ file: [JSONValue], _ container: [JSONValue]) -> [JSONValue]? {
    let shared = Set(file).intersection(container)
    let common = shared.intersection(base)
    // What both added may stand in different places.
    guard common == shared || file.filter(shared.contains) == container.filter(shared.contains) else {
      return nil
    }
    let orders = [base, file, container].map { $0.filter(common.contains) }
    if orders[0] == orders[2] { return inserted(base, from: container, into: file) }
    if orders[0] == orders[1] { return inserted(base, from: file, into: container) }
    return orders[1] == orders[2] ? inserted(base, from: container, into: file) : nil
  }

  /// `list` without the elements that `other` removed, and with those that `other` added, each after the element that
  /// precedes it there.
  private static func inserted(_ base: [JSONValue], from other: [JSONValue], into list: [JSONValue])
    -> [JSONValue]
  {
    let (before, there) = (Set(base), Set(other))
    var result = list.filter { !before.contains($0) || there.contains($0) }
    for (index, element) in other.enumerated() where !before.contains(element) && !result.contains(element) {
      let anchor = other[..<index].last { result.contains($0) }.flatMap { result.firstIndex(of: $0) }
      result.insert(element, at: anchor.map { $0 + 1 } ?? 0)
    }
    return result
  }
}

extension JSONValue? {
  fileprivate var elements: [JSONValue] { self?.array ?? [] }
}
