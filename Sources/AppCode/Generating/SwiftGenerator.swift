internal import Diagnostics
internal import SchemaLanguage

struct SwiftGenerator {
  private let model: GeneratedModel
  /// `public `, `package ` or nothing.
  private let access: String
  private let typeNames: [String: String]
  private let swiftNames: Set<String>
  private static let keywords = GeneratedNames.reserved["Swift keywords"]
  private static let types = GeneratedNames.reserved["Swift types"]
  private static let members = GeneratedNames.reserved["Swift members"]

  init(_ model: GeneratedModel, access: GeneratedAccess) {
    self.model = model
    self.access = access == .internal ? "" : "\(access.rawValue) "
    var names = GeneratedNames(reserved: Self.types, Self.keywords, Self.members)
    typeNames = model.recordTypes.reduce(into: [:]) { $0[$1.name] = names.name(for: $1.name) }
    swiftNames = Set(typeNames.values)
  }

  var files: [String: String] {
    var files = [
      "CloudKit+Support.swift": support(PackageResources.Support_swift_txt, after: model.digestLine),
      "CloudKit+Records.swift": support(PackageResources.Records_swift_txt),
    ]
    var names = GeneratedFileNames()
    for type in model.recordTypes {
      files[names.file(for: swiftName(of: type.name), ending: ".swift")] = file(type)
    }
    return files
  }

  private var header: String {
    "\(GeneratedFolder.mark) from \(model.source). Change the schema, not this file.\n"
      + "// swift-format-ignore-file\n// swiftlint:disable all\n\n"
  }

  /// - Parameter template: a file of `Resources`, in which `@@` stands for the access level.
  private func support(_ template: [UInt8], after line: String = "") -> String {
    header + line + String(decoding: template, as: UTF8.self).replacing("@@", with: access)
  }

  private func swiftName(of type: String) -> String { typeNames[type] ?? type }

  // MARK: Record types

  private struct Member {
    let field: GeneratedModel.Field
    let name: String
    let type: String
    var quoted: String { SwiftGenerator.keywords.contains(name) ? "`\(name)`" : name }
  }

  private func file(_ type: GeneratedModel.RecordType) -> String {
    let name = swiftName(of: type.name)
    var names = GeneratedNames(reserved: Self.types, Self.members, swiftNames)
    let members = type.fields.map { field in
      Member(field: field, name: names.name(for: field.name), type: swiftType(of: field))
    }
    let parts = [
      "  \(access)static let recordType = \"\(type.name)\"\n", properties(members), initializer(members),
      coding(members), update(members, of: name), fieldNames(members), query(type, members, name),
    ]
    return header + imports + documentation(type)
      + "\(access)struct \(name): RecordFields {\n" + parts.filter { !$0.isEmpty }.joined(separator: "\n")
      + "}\n"
  }

  /// Dates and bytes are types of Foundation.
  private var imports: String {
    "#if canImport(FoundationEssentials)\n  \(access)import FoundationEssentials\n#else\n  \(access)import Foundation\n#endif\n\n"
  }

  private func documentation(_ type: GeneratedModel.RecordType) -> String {
    let lines = [type.description, type.grants].filter { !$0.isEmpty }
    return lines.map { "/// \($0)\n" }.joined(separator: "///\n")
  }

  private func properties(_ members: [Member]) -> String {
    members.map { member in
      let about = member.field.description.isEmpty ? "" : "  /// \(member.field.description)\n  ///\n"
      let encrypted = member.field.isEncrypted ? " Encrypted: CloudKit on Apple's platforms reads it." : ""
      return about + "  /// \(member.field.name) \(member.field.declaration).\(encrypted)\n"
        + "  \(access)var \(member.quoted): \(member.type)?\n"
    }.joined()
  }

  private func initializer(_ members: [Member]) -> String {
    guard !members.isEmpty else { return "  \(access)init() {}\n" }
    let parameters = members.enumerated().map { "    \($1.quoted) v\($0): \($1.type)? = nil" }
    let lines = members.enumerated().map { "    self.\($1.quoted) = v\($0)\n" }
    return "  \(access)init(\n\(parameters.joined(separator: ",\n"))\n  ) {\n\(lines.joined())  }\n"
  }

  private func coding(_ members: [Member]) -> String {
    let read = members.map { member in
      "    result.\(member.quoted) = try source.value(\"\(member.field.name)\", of: recordType, as: \(member.type).self, "
        + "isEncrypted: \(member.field.isEncrypted))\n"
    }
    let written = members.map { member in
      "    target.set(\"\(member.field.name)\", to: fields.\(member.quoted), isEncrypted: \(member.field.isEncrypted))\n"
    }
    let body =
      members.isEmpty ? "    Self()\n" : "    var result = Self()\n\(read.joined())    return result\n"
    return
      "  \(access)static func decode(from source: some FieldSource) throws(RecordError) -> Self {\n\(body)  }\n\n"
      + "  \(access)static func encode(_ fields: Self, to target: inout some FieldTarget) {\n\(written.joined())  }\n"
  }

  private func update(_ members: [Member], of name: String) -> String {
    let properties = members.map { "    \(access)var \($0.quoted): FieldUpdate<\($0.type)> = .unchanged\n" }
    let written = members.map { member in
      "      target.update(\"\(member.field.name)\", with: update.\(member.quoted), isEncrypted: \(member.field.isEncrypted))\n"
    }
    return "  /// Changes of some fields; the others stay as they are.\n"
      + "  \(access)struct Update: RecordUpdate {\n    \(access)typealias Fields = \(name)\n"
      + properties.joined() + "    \(access)init() {}\n\n"
      + "    \(access)static func encode(_ update: Self, to target: inout some FieldTarget) {\n"
      + written.joined() + "    }\n  }\n"
  }

  private func fieldNames(_ members: [Member]) -> String {
    guard !members.isEmpty else { return "" }
    let cases = members.map { "    case \($0.quoted) = \"\($0.field.name)\"\n" }
    return "  /// The names of the fields, such as for `desiredKeys`.\n"
      + "  \(access)enum Field: String, Sendable, CaseIterable {\n\(cases.joined())  }\n"
  }

  private func query(_ type: GeneratedModel.RecordType, _ members: [Member], _ name: String) -> String {
    let fields = members.filter(\.field.isQueried).map { member in
      "    \(access)static let \(member.quoted) = QueryField<\(name), \(member.type), \(Self.kind(member.field.indexes))>(\"\(member.field.name)\")\n"
    }
    let system = type.systemIndexes.map { field in
      "    \(access)static let \(field.name) = QueryField<\(name), Date, \(Self.kind(field.indexes))>(\"\(field.name)\")\n"
    }
    return "  /// The fields in queries. A filter that needs a missing index does not compile.\n"
      + "  \(access)enum Query {\n\(fields.joined())  }\n\n"
      + "  /// The system fields in queries.\n  \(access)enum SystemQuery {\n\(system.joined())  }\n"
  }

  private static func kind(_ indexes: EnumSet<Index>) -> String {
    let words = indexes.map { String($0.rawValue.prefix(1)) + $0.rawValue.dropFirst().lowercased() }
    switch words.count {
    case 0: return "NoIndex"
    case 1: return "Only" + words[0]
    default: return words.joined()
    }
  }

  // MARK: Types of fields

  private func swiftType(of field: GeneratedModel.Field) -> String {
    let element = element(field.type.primitive, target: field.target.flatMap { typeNames[$0] })
    return field.isList ? "[\(element)]" : element
  }

  private func element(_ primitive: Primitive, target: String?) -> String {
    switch primitive {
    case .plain(let type), .encrypted(let type):
      return target.flatMap { type == .string ? "RecordName<\($0)>" : nil } ?? type.generated.swift
    case .asset: return "Asset"
    case .reference: return target.map { "Reference<\($0)>" } ?? "AnyReference"
    case .number(let preferred): return (preferred ?? .double).generated.swift
    }
  }
}
