import Foundation

/// What a script can depend on in an output, as lines to read and compare: for JSON the path of every key and the
/// kinds of its values; the value itself where it is a number, a truth value or a word of a fixed set, such as a rule
/// code. A text that people read is only `text`.
///
/// - All elements of an array share one path, `feeds[]`; a `?` marks a key that not every one of them has.
/// - Times, UUIDs and measurements differ from run to run; only their kind is kept.
enum OutputOutline {
  static func lines(of output: String) -> [String] {
    if output.isEmpty { return ["empty"] }
    if let document = JSONOutline.Value(parsing: output) { return ["json"] + JSONOutline(document).lines }
    let lines = output.split(separator: "\n").map(String.init)
    let values = lines.compactMap(JSONOutline.Value.init(parsing:))
    if values.count == lines.count { return ["json lines"] + JSONOutline(.array(values)).lines }
    if output.hasPrefix("<?xml") { return ["xml"] + elements(of: output) }
    if lines.allSatisfy({ $0.hasPrefix("::") }) { return ["workflow commands"] + annotations(in: lines) }
    return ["text"]
  }

  /// Every kind of element with the attributes it has.
  private static func elements(of document: String) -> [String] {
    Set(
      document.matches(of: /<([A-Za-z][\w.-]*)((?:\s+[\w:-]+="[^"]*")*)\s*\/?>/).map { element in
        let attributes = element.2.matches(of: /([\w:-]+)="/).map { "@\($0.1)" }
        return ([String(element.1)] + attributes).joined(separator: " ")
      }
    ).sorted()
  }

  /// `::error file=…,line=…::…` as `error file line`.
  private static func annotations(in lines: [String]) -> [String] {
    Set(
      lines.map { line in
        let parameters = line.dropFirst(2).split(separator: "::", maxSplits: 1).first ?? ""
        return parameters.split { $0 == " " || $0 == "," }.map { String($0.prefix { $0 != "=" }) }
          .joined(separator: " ")
      }
    ).sorted()
  }
}

/// The outline of one JSON document.
struct JSONOutline {
  enum Value: Decodable {
    case null, bool(Bool), number(Double), string(String)
    case array([Value])
    case object([String: Value])

    init?(parsing text: String) {
      guard let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) else { return nil }
      self = value
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try? container.decode([Value].self) {
        self = .array(value)
      } else {
        self = .object(try container.decode([String: Value].self))
      }
    }
  }

  /// Keys whose text is one of a fixed set of words.
  private static let wordKeys: Set = [
    "action", "aggregate", "category", "check", "code", "command", "conclusion", "development", "environment",
    "format", "held", "id", "kind", "level", "name", "options", "origin", "outcome", "privileges",
    "production", "read", "reasons", "recordType", "risk", "risks", "role", "ruleId", "schemaVersion",
    "severity", "status", "strategy", "type", "version", "write",
  ]
  /// Keys whose number is measured, or depends on how the work was done or how many types the schema has.
  private static let measurements: Set = [
    "changes", "elapsedSeconds", "expectedRequests", "expectedSeconds", "layoutVersion", "lookup",
    "lowerBoundRequests", "modify", "modifyAtMost", "query", "raw", "refusedByPolicy", "sizeBytes", "value",
    "weight",
  ]
  private static let maxValues = 12
  /// All record types of the catalog's schema. A path that has each of them shows `catalogType` instead, so that a new
  /// type changes no line. Without the file no line is as recorded.
  private static let catalogTypes: Set<String> = {
    let file = projectRoot.appending(path: "schema/celestra.ckdb")
    let schema = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return Set(schema.matches(of: /RECORD TYPE (\w+)/).map { "\"\($0.1)\"" }).subtracting(["\"Users\""])
  }()

  /// Path → what was found there, in how many parents of how many.
  private var kinds: [String: Set<String>] = [:]
  private var present: [String: Int] = [:]
  private var parents: [String: Int] = [:]

  init(_ value: Value) { add(value, at: "", key: "") }

  var lines: [String] {
    kinds.keys.sorted().filter { !$0.isEmpty }.map { path in
      let isOptional = present[path, default: 0] < parents[Self.parent(of: path), default: 0]
      var found = kinds[path, default: []]
      if found.isSuperset(of: Self.catalogTypes) {
        found = found.subtracting(Self.catalogTypes).union(["catalogType"])
      }
      let shown = found.count > Self.maxValues ? ["string"] : found.sorted()
      return "\(path)\(isOptional ? "?" : "") \(shown.joined(separator: " | "))"
    }
  }

  private mutating func add(_ value: Value, at path: String, key: String) {
    switch value {
    case .null: kinds[path, default: []].insert("null")
    case .bool(let value): kinds[path, default: []].insert("\(value)")
    case .number(let value): kinds[path, default: []].insert(Self.kind(of: value, key))
    case .string(let value): kinds[path, default: []].insert(Self.kind(of: value, key))
    case .array(let elements):
      if elements.isEmpty { kinds[path, default: []].insert("[]") }
      for element in elements { add(element, at: path + "[]", key: key) }
    case .object(let members):
      if members.isEmpty { kinds[path, default: []].insert("{}") }
      parents[path, default: 0] += 1
      for (key, member) in members {
        let path = path.isEmpty ? key : "\(path).\(key)"
        present[path, default: 0] += 1
        add(member, at: path, key: key)
      }
    }
  }

  private static func parent(of path: String) -> String {
    String(path.prefix(upTo: path.lastIndex(of: ".") ?? path.startIndex))
  }

  private static func kind(of number: Double, _ key: String) -> String {
    if measurements.contains(key) { return "number" }
    if number > 1e11 { return "time" }
    return number == number.rounded() ? "\(Int(number))" : "\(number)"
  }

  private static func kind(of text: String, _ key: String) -> String {
    if text.isEmpty { return "\"\"" }
    if text.wholeMatch(of: /\d{4}-\d\d-\d\dT[\d:.]+Z/) != nil { return "time" }
    if text.wholeMatch(of: /(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil { return "uuid" }
    if text.hasPrefix("/") { return "path" }
    return wordKeys.contains(key) ? "\"\(text)\"" : "string"
  }
}
