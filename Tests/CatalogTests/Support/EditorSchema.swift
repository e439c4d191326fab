import Diagnostics
import Foundation

/// A JSON Schema of the seeds, as a text editor applies it: the keywords that those schemas use, and an error for any
/// other, so that none of them is left out unnoticed.
struct EditorSchema {
  struct UnknownKeyword: Error { let name: String }

  private let root: JSONValue

  init(_ name: String) throws {
    let file = RepositoryFile.seeds.appending(path: "schemas/\(name).schema.json")
    root = try JSONValue(parsing: [UInt8](Data(contentsOf: file)))
  }

  func accepts(_ document: JSONValue) throws -> Bool { try accepts(document, root) }

  private static let annotations: Set = [
    "$schema", "title", "description", "default", "examples", "defaultSnippets", "doNotSuggest",
    "additionalProperties", "patternProperties", "then",
  ]

  private func accepts(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
    guard case .object(let rules) = schema else { return true }
    for (keyword, rule) in rules.members where !Self.annotations.contains(keyword) {
      guard try holds(keyword, rule, value, schema) else { return false }
    }
    return try hasKnownKeys(value, schema)
  }

  private func holds(_ keyword: String, _ rule: JSONValue, _ value: JSONValue, _ schema: JSONValue) throws
    -> Bool
  {
    switch keyword {
    case "type": return (rule.array ?? [rule]).contains { isOf($0.string ?? "", value) }
    case "enum": return rule.array?.contains(value) == true
    case "anyOf": return try rule.array?.contains { try accepts(value, $0) } == true
    case "not": return try !accepts(value, rule)
    case "if":
      guard try accepts(value, rule), let consequence = schema["then"] else { return true }
      return try accepts(value, consequence)
    case "required": return rule.array?.allSatisfy { value[$0.string ?? ""] != nil } == true
    case "properties":
      guard case .object(let rules) = rule else { return true }
      return try rules.members.allSatisfy { key, rule in try value[key].map { try accepts($0, rule) } ?? true
      }
    case "items": return try value.array?.allSatisfy { try accepts($0, rule) } ?? true
    case "uniqueItems":
      return value.array.map { list in list.indices.allSatisfy { !list[..<$0].contains(list[$0]) } } ?? true
    case "pattern": return value.string.map { matches(rule.string ?? "", $0) } ?? true
    case "minLength": return length(value).map { $0 >= number(rule) } ?? true
    case "maxLength": return length(value).map { $0 <= number(rule) } ?? true
    case "minimum": return isNumber(value) ? number(value) >= number(rule) : true
    case "exclusiveMaximum": return isNumber(value) ? number(value) < number(rule) : true
    default: throw UnknownKeyword(name: keyword)
    }
  }

  private func hasKnownKeys(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
    guard schema["additionalProperties"] == .bool(false), case .object(let members) = value else {
      return true
    }
    return members.members.allSatisfy { key, _ in
      if schema["properties"]?[key] != nil { return true }
      guard case .object(let patterns)? = schema["patternProperties"] else { return false }
      return patterns.members.contains { matches($0.key, key) }
    }
  }

  private func isOf(_ type: String, _ value: JSONValue) -> Bool {
    switch (type, value) {
    case ("string", .string), ("boolean", .bool), ("array", .array), ("object", .object), ("null", .null),
      ("integer", .integer):
      true
    case ("integer", .double(let number)): number == number.rounded()
    default: false
    }
  }

  /// A schema's `$` is the end of the text, which is `\z` here: NSRegularExpression's `$` also matches before a line end.
  private func matches(_ pattern: String, _ text: String) -> Bool {
    let end = pattern.hasSuffix("$") && !pattern.hasSuffix("\\$") ? pattern.dropLast() + "\\z" : pattern[...]
    return text.range(of: String(end), options: .regularExpression) != nil
  }

  private func isNumber(_ value: JSONValue) -> Bool {
    switch value {
    case .integer, .double: true
    default: false
    }
  }

  private func number(_ value: JSONValue) -> Double {
    switch value {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: .nan
    }
  }

  /// In code points, as the specification counts.
  private func length(_ value: JSONValue) -> Double? { value.string.map { Double($0.unicodeScalars.count) } }
}
