internal import Diagnostics
internal import SchemaLanguage

struct TypeScriptGenerator {
  private let model: GeneratedModel
  private let typeNames: [String: String]

  static let supportModule = "cloudkit-support"

  init(_ model: GeneratedModel) {
    self.model = model
    var names = GeneratedNames(reserved: GeneratedNames.reserved["TypeScript"])
    typeNames = model.recordTypes.reduce(into: [:]) {
      $0[$1.name] = names.name(for: $1.name, forms: Self.exports)
    }
  }

  private static func exports(_ name: String) -> [String] {
    [name, "\(name)Update", "\(name)Query", "decode\(name)", "encode\(name)", "update\(name)"]
  }

  var files: [String: String] {
    var files = [
      "\(Self.supportModule).ts": header + model.digestLine
        + String(decoding: PackageResources.support_ts_txt, as: UTF8.self)
    ]
    var names = GeneratedFileNames()
    var index = "export * from \"./\(Self.supportModule)\";\n"
    _ = names.file(for: "index", ending: "")
    for type in model.recordTypes {
      let name = typeNames[type.name] ?? type.name
      let module = names.file(for: name, ending: "")
      files["\(module).ts"] = file(type, name)
      index += "export * from \"./\(module)\";\n"
    }
    files["index.ts"] = header + index
    return files
  }

  private var header: String {
    "\(GeneratedFolder.mark) from \(model.source). Change the schema, not this file.\n"
      + "/* eslint-disable */\n\n"
  }

  private struct Member {
    let field: GeneratedModel.Field
    let name: String
    let type: String
    let kind: String
  }

  private func file(_ type: GeneratedModel.RecordType, _ name: String) -> String {
    var names = GeneratedNames(reserved: GeneratedNames.reserved["TypeScript properties"])
    let members = type.fields.map { field in
      let name = names.name(for: field.name)
      let (type, kind) = typeAndKind(of: field)
      return Member(
        field: field, name: name, type: type,
        kind: name == field.name ? kind : "named(\"\(field.name)\", \(kind))")
    }
    let queried = members.filter(\.field.isQueried)
    return header + imports(members) + comment([type.description, type.grants], indent: "")
      + "export interface \(name) {\n\(members.map(property).joined())}\n\n"
      + "/** Changes of some fields: null clears a field, and a field that is left out stays as it is. */\n"
      + "export type \(name)Update = Update<\(name)>;\n\n"
      + "const kinds: FieldKinds<\(name)> = {\n\(members.map { "  \($0.name): \($0.kind),\n" }.joined())};\n\n"
      + functions(type.name, name)
      + "/** The fields in queries. A filter that needs a missing index does not compile. */\n"
      + "export const \(name)Query = {\n"
      + queried.map { query(type.name, $0) }.joined() + "};\n"
  }

  /// Only what the file uses, for projects that refuse unused imports; with `type`, for those that keep each import.
  private func imports(_ members: [Member]) -> String {
    let text = members.map { "\($0.type) \($0.kind)" }.joined(separator: " ")
    let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    let optional = [
      "Asset", "Location", "RecordName", "Reference", "asset", "bytes", "double", "int64", "listOf",
      "location", "nameOf", "named", "referenceTo", "text", "timestamp",
    ].filter(words.contains)
    let query = members.contains { $0.field.isQueried } ? ["QueryField"] : []
    let all =
      ["FieldKinds", "StoredField", "StoredRecord", "Update", "decode", "encodeUpdate"] + optional + query
    let lines = all.sorted().map { "  \($0.first?.isUppercase ?? false ? "type " : "")\($0),\n" }
    return "import {\n\(lines.joined())} from \"./\(Self.supportModule)\";\n\n"
  }

  private func property(_ member: Member) -> String {
    comment([member.field.description, "\(member.field.name) \(member.field.declaration)"], indent: "  ")
      + "  \(member.name)?: \(member.type);\n"
  }

  private func functions(_ recordType: String, _ name: String) -> String {
    """
    /** Throws RecordError for a record of another type, and for a field whose value has another type. */
    export function decode\(name)(record: StoredRecord): \(name) {
      return decode<\(name)>("\(recordType)", kinds, record);
    }

    /** The record with all its fields. */
    export function encode\(name)(recordName: string, fields: \(name)): StoredRecord {
      return { recordType: "\(recordType)", recordName, fields: encodeUpdate<\(name)>(kinds, fields) };
    }

    /** The fields of an update, as a request to modify a record sends them. */
    export function update\(name)(update: \(name)Update): { [name: string]: StoredField } {
      return encodeUpdate<\(name)>(kinds, update);
    }


    """
  }

  private func query(_ recordType: String, _ member: Member) -> String {
    let indexes = member.field.indexes.map { "\"\($0.rawValue)\"" }
    let kinds = indexes.isEmpty ? "never" : indexes.joined(separator: " | ")
    let has = member.field.indexes.map { "\($0.rawValue): true" }.joined(separator: ", ")
    return
      "  \(member.name): {\n    recordType: \"\(recordType)\", fieldName: \"\(member.field.name)\", kind: kinds.\(member.name), indexes: {\(has.isEmpty ? "" : " \(has) ")},\n"
      + "  } as QueryField<\"\(recordType)\", \(member.type), \(kinds)>,\n"
  }

  private func comment(_ lines: [String], indent: String) -> String {
    let lines = lines.filter { !$0.isEmpty }.map { $0.replacing("*/", with: "* /") }
    guard lines.count > 1 else { return lines.map { "\(indent)/** \($0) */\n" }.joined() }
    return "\(indent)/**\n" + lines.map { "\(indent) * \($0)\n" }.joined() + "\(indent) */\n"
  }

  // MARK: Types of fields

  private func typeAndKind(of field: GeneratedModel.Field) -> (type: String, kind: String) {
    let element = element(field)
    return field.isList ? ("\(element.type)[]", "listOf(\(element.kind))") : element
  }

  private func element(_ field: GeneratedModel.Field) -> (type: String, kind: String) {
    switch field.type.primitive {
    case .plain(let type), .encrypted(let type):
      guard type == .string, let target = field.target else { return type.generated.typeScript }
      return ("RecordName<\"\(target)\">", "nameOf<\"\(target)\">()")
    case .asset: return ("Asset", "asset")
    case .reference:
      let target = field.target.map { "\"\($0)\"" } ?? "string"
      return ("Reference<\(target)>", "referenceTo<\(target)>()")
    case .number(let preferred): return (preferred ?? .double).generated.typeScript
    }
  }
}
