package import Diagnostics

/// The values of a seed entry by their keys, in the form of the seed files. ``SeedFields`` says what each key holds.
package struct SeedValues: Sendable, Hashable {
  private var members: [String: JSONValue] = [:]

  package init() {}

  /// `nil` for a key that is left out.
  package subscript(key: String) -> JSONValue? {
    get { members[key] }
    set { members[key] = newValue }
  }

  /// The value that the record gets: what is left out has its default, and a retired feed is not featured, so that
  /// apps that do not know `isRetired` stop featuring it.
  package func published(_ field: SeedField) -> JSONValue? {
    if field.key == "isFeatured", members["retired"] == true { return false }
    return members[field.key] ?? field.usual
  }

  /// The entry for a seed file, in the order of the table.
  package func json(_ fields: [SeedField]) -> JSONObject {
    JSONObject(fields.compactMap { field in members[field.key].map { (field.key, $0) } })
  }
}

package protocol SeedEntry: Sendable, Hashable {
  static var kind: SeedKind { get }
  var values: SeedValues { get set }
  init(_ values: SeedValues)
}

extension SeedEntry {
  /// The name by which other seeds refer to the entry.
  package var slug: String {
    get { text("slug") ?? "" }
    set { set("slug", newValue) }
  }

  /// The record name, which ties the entry to one record even if its slug or its URL changes.
  package var recordName: String? {
    get { text("recordName") }
    set { set("recordName", newValue) }
  }

  func text(_ key: String) -> String? { values[key]?.string }
  func flag(_ key: String) -> Bool { values[key] == true }
  func texts(_ key: String) -> [String] { values[key]?.strings ?? [] }

  mutating func set(_ key: String, _ text: String?) { values[key] = text.map(JSONValue.string) }
  mutating func set(_ key: String, _ flag: Bool) { values[key] = .bool(flag) }
  mutating func set(_ key: String, _ texts: [String]) { values[key] = .array(texts.map(JSONValue.string)) }
}

extension JSONValue {
  package var strings: [String] { array?.compactMap(\.string) ?? [] }
}
