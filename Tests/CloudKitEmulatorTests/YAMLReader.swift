import Diagnostics

/// Reads as much of YAML as `openapi.yaml` uses: block maps and lists, flow maps and lists, scalars, anchors,
/// aliases and folded text.
struct YAMLReader {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private var lines: [(indent: Int, text: String)]
  private var position = 0
  private var anchors: [String: JSONValue] = [:]

  static func read(_ text: String) throws -> JSONValue {
    var reader = YAMLReader(text)
    return try reader.block(indent: 0)
  }

  private init(_ text: String) {
    lines = text.split(separator: "\n").map { line in
      (line.prefix { $0 == " " }.count, String(line.drop { $0 == " " }))
    }
  }

  // MARK: Blocks

  private mutating func block(indent: Int) throws -> JSONValue {
    guard position < lines.count else { return .null }
    return lines[position].text.hasPrefix("- ") ? try list(indent: indent) : try map(indent: indent)
  }

  private mutating func map(indent: Int) throws -> JSONValue {
    var object = JSONObject()
    while position < lines.count, lines[position].indent == indent {
      let text = lines[position].text
      guard let colon = text.firstRange(of: ":"), !text.hasPrefix("- ") else {
        throw Problem(description: "no key in '\(text)'")
      }
      let key = text[..<colon.lowerBound].trimmingPrefix("\"")
      let rest = text[colon.upperBound...].drop { $0 == " " }
      position += 1
      object[key.hasSuffix("\"") ? String(key.dropLast()) : String(key)] = try value(
        String(rest), indent: indent)
    }
    return .object(object)
  }

  private mutating func list(indent: Int) throws -> JSONValue {
    var elements: [JSONValue] = []
    while position < lines.count, lines[position].indent == indent, lines[position].text.hasPrefix("- ") {
      let rest = String(lines[position].text.dropFirst(2))
      if rest.hasPrefix("{") {
        position += 1
        elements.append(try value(rest, indent: indent))
      } else {
        lines[position] = (indent + 2, rest)
        elements.append(try block(indent: indent + 2))
      }
    }
    return .array(elements)
  }

  /// What stands after a key: on its line, or as a block below it.
  private mutating func value(_ text: String, indent: Int) throws -> JSONValue {
    if text.hasPrefix("&") {
      let name = text.dropFirst().prefix { $0 != " " }
      let value = try value(String(text.dropFirst(name.count + 1).drop { $0 == " " }), indent: indent)
      anchors[String(name)] = value
      return value
    }
    if text == ">" { return .string(folded(indent: indent)) }
    if !text.isEmpty { return try flow(text) }
    guard position < lines.count, lines[position].indent > indent else { return .null }
    if "{[".contains(lines[position].text.prefix(1)) {
      position += 1
      return try flow(lines[position - 1].text)
    }
    return try block(indent: lines[position].indent)
  }

  private mutating func folded(indent: Int) -> String {
    var words: [String] = []
    while position < lines.count, lines[position].indent > indent {
      words.append(lines[position].text)
      position += 1
    }
    return words.joined(separator: " ")
  }

  // MARK: Flow

  /// A flow collection may go on over the following lines.
  private mutating func flow(_ first: String) throws -> JSONValue {
    var text = first
    func depth(_ text: String) -> Int {
      text.count { "{[".contains($0) } - text.count { "}]".contains($0) }
    }
    guard "{[".contains(first.prefix(1)) else { return try scalar(first) }
    while depth(text) > 0, position < lines.count {
      text += " " + lines[position].text
      position += 1
    }
    var rest = text[...]
    return try flowValue(&rest)
  }

  private func flowValue(_ rest: inout Substring) throws -> JSONValue {
    rest = rest.drop { $0 == " " }
    switch rest.first {
    case "{":
      rest.removeFirst()
      var object = JSONObject()
      while !take("}", from: &rest) {
        let key = rest.prefix { $0 != ":" }
        rest = rest.dropFirst(key.count + 1)
        object[String(key.drop { $0 == " " })] = try flowValue(&rest)
        _ = take(",", from: &rest)
      }
      return .object(object)
    case "[":
      rest.removeFirst()
      var elements: [JSONValue] = []
      while !take("]", from: &rest) {
        elements.append(try flowValue(&rest))
        _ = take(",", from: &rest)
      }
      return .array(elements)
    case "\"":
      let text = rest.dropFirst().prefix { $0 != "\"" }
      rest = rest.dropFirst(text.count + 2)
      return .string(String(text))
    default:
      let text = rest.prefix { !",}]".contains($0) }
      rest = rest.dropFirst(text.count)
      return try scalar(String(text))
    }
  }

  private func take(_ character: Character, from rest: inout Substring) -> Bool {
    rest = rest.drop { $0 == " " }
    guard rest.first == character else { return rest.isEmpty }
    rest.removeFirst()
    return true
  }

  private func scalar(_ text: String) throws -> JSONValue {
    let trimmed = text.reversed().drop { $0 == " " }.reversed()
    let word = String(trimmed)
    if word.hasPrefix("*") {
      guard let value = anchors[String(word.dropFirst())] else {
        throw Problem(description: "no anchor \(word)")
      }
      return value
    }
    if word.hasPrefix("\""), word.hasSuffix("\""), word.count > 1 {
      return .string(String(word.dropFirst().dropLast()))
    }
    if let number = Int64(word) { return .integer(number) }
    switch word {
    case "true": return true
    case "false": return false
    default: return .string(word)
    }
  }
}
