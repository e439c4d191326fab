import Diagnostics
import FoundationEssentials

/// `Documentation/openapi.yaml`, and whether an answer is as it says.
struct OpenAPISchema {
  let document: JSONValue

  /// Read once for all tests.
  private static let file = Result {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Documentation")
    return try YAMLReader.read(
      String(contentsOf: root.appending(path: "openapi.yaml"), encoding: .utf8))
  }

  init() throws { document = try Self.file.get() }

  /// The paths of the document whose pattern fits, of which there is one or none.
  func pattern(for path: String) -> String? {
    let parts = path.split(separator: "/")
    return document["paths"]?.object?.members.map(\.key).first { pattern in
      let wanted = pattern.split(separator: "/")
      return wanted.count == parts.count && zip(wanted, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
  }

  /// What is wrong with an answer; empty when nothing is.
  func problems(of body: JSONValue, status: Int, method: String, path: String) -> [String] {
    guard let response = response(status, method, path) else {
      return ["\(method) \(path) has no response \(status)"]
    }
    if let statuses = response["x-statuses"]?.array, !statuses.contains(.integer(Int64(status))) {
      return ["\(method) \(path): \(status) is not one of the statuses"]
    }
    guard let schema = response["content"]?["application/json"]?["schema"] else { return [] }
    return problems(of: body, against: schema, at: "$")
  }

  /// The statuses of the refusals of one side, `Error` or `ManagementError`.
  func statuses(of response: String) -> [Int] {
    let listed = document["components"]?["responses"]?[response]?["x-statuses"]?.array ?? []
    return listed.compactMap { $0.integer.map(Int.init) }
  }

  /// What is not described is not served: its answer can only be a refusal.
  private func response(_ status: Int, _ method: String, _ path: String) -> JSONValue? {
    let operation = pattern(for: path).flatMap { document["paths"]?[$0]?[method.lowercased()] }
    if let responses = operation?["responses"] {
      return (responses[String(status)] ?? responses["default"]).map(resolve)
    }
    guard status == 404 || status == 405 else { return nil }
    let isManagement = !["database", "device", "assets"].contains(path.split(separator: "/").first)
    return document["components"]?["responses"]?[isManagement ? "ManagementError" : "Error"]
  }

  private func resolve(_ node: JSONValue) -> JSONValue {
    guard let reference = node["$ref"]?.string else { return node }
    return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
  }

  private func problems(of value: JSONValue, against unresolved: JSONValue, at path: String) -> [String] {
    let schema = resolve(unresolved)
    if let choices = schema["oneOf"]?.array {
      let results = choices.map { problems(of: value, against: $0, at: path) }
      return switch results.count(where: \.isEmpty) {
      case 1: []
      case 0: results.flatMap(\.self)
      default: ["\(path): fits more than one of the choices"]
      }
    }
    if let unwanted = schema["not"], problems(of: value, against: unwanted, at: path).isEmpty {
      return ["\(path): fits what it must not"]
    }
    if value.isNull, schema["nullable"] == true { return [] }
    var found: [String] = []
    if let type = schema["type"]?.string, !value.isOf(type) { found.append("\(path): not \(type)") }
    if let words = schema["enum"]?.array, !words.contains(value) {
      found.append("\(path): not one of the words")
    }
    for key in schema["required"]?.array ?? [] where value.object?[key.string ?? ""] == nil {
      found.append("\(path): no \(key.string ?? "")")
    }
    for member in value.object?.members ?? [] {
      guard let inner = schema["properties"]?[member.key] ?? schema["additionalProperties"] else { continue }
      found += problems(of: member.value, against: inner, at: "\(path).\(member.key)")
    }
    if let items = schema["items"] {
      for (index, element) in (value.array ?? []).enumerated() {
        found += problems(of: element, against: items, at: "\(path)[\(index)]")
      }
    }
    return found
  }
}

extension JSONValue {
  fileprivate func isOf(_ type: String) -> Bool {
    switch type {
    case "object": object != nil
    case "array": array != nil
    case "string": string != nil
    case "integer": integer != nil
    case "number": number != nil
    case "boolean": bool != nil
    default: false
    }
  }
}
