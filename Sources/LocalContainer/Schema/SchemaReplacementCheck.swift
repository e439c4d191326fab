internal import CloudKitModel
internal import Diagnostics
package import SchemaLanguage

struct SchemaReplacementCheck {
  let development: Schema
  let production: Schema
  let behavior: ServerBehavior

  /// Throws ``ServerError`` for the first rule that the schema breaks.
  func check(_ schema: Schema) throws {
    let present = development.recordTypes.keyed(by: \.name)
    let deployed = production.recordTypes.keyed(by: \.name)
    try checkOmissions(schema, deployed)
    for type in schema.withUsers.recordTypes { try check(type, present[type.name], deployed[type.name]) }
  }

  private func checkOmissions(_ schema: Schema, _ deployed: [String: RecordType]) throws {
    let kept = schema.recordTypes.keyed(by: \.name)
    for type in development.recordTypes where kept[type.name] == nil {
      let isUsers = type.name == SystemNames.users
      if isUsers, behavior.omittedUsersType == .accept { continue }
      if !isUsers, deployed[type.name] != nil {
        throw Self.refusal(
          "invalid attempt to delete a record type which is active in a production container",
          "the schema leaves out \(type.name), which production has")
      }
      if SystemNames.isManaged(type.name) {
        throw Self.refusal(
          "invalid attempt to delete cloudkit managed record type", "the schema leaves out \(type.name)")
      }
    }
  }

  private func check(_ type: RecordType, _ present: RecordType?, _ deployed: RecordType?) throws {
    for field in type.fields { try checkSystemType(of: field, in: type) }
    for field in deployed?.fields ?? [] where !field.isSystem {
      guard let kept = type[field: field.name] else {
        throw Self.refusal(
          "invalid attempt to delete a field which is active in a production container",
          "the schema leaves out \(type.name).\(field.name), which production has")
      }
      try checkChange(from: field, to: kept, in: type, deployed: true)
    }
    for field in present?.fields ?? [] {
      guard let kept = type[field: field.name] else { continue }
      try checkChange(from: field, to: kept, in: type, deployed: false)
    }
  }

  private func checkSystemType(of field: Field, in type: RecordType) throws {
    guard let system = SystemField(storedName: field.name), field.type != system.dataType else { return }
    throw Self.refusal(
      "invalid attempt to change the type of system field '\(field.name)' in type '\(type.name)'",
      "\(field.name) is always a \(system.dataType)")
  }

  private func checkChange(from old: Field, to new: Field, in type: RecordType, deployed: Bool) throws {
    guard old.type != new.type else { return }
    // The same verdict as that of a plan.
    let verdict = SchemaChangeVerdict.typeChange(from: old.type, to: new.type).known(isDeployed: deployed)
    guard verdict.development == .refused || verdict.risk != .none && behavior.fieldTypeChange == .refuse
    else { return }
    throw Self.refusal(
      "invalid attempt to change the type of field '\(new.name)' in type '\(type.name)' from \(old.type) to "
        + new.type.description,
      old.type.isEncrypted != new.type.isEncrypted
        ? "encryption of a field cannot be added or removed"
        : "\(type.name).\(new.name) is a \(old.type)\(deployed ? " in production" : "")")
  }

  static func refusal(_ reason: String, _ explanation: String) -> ServerError {
    ServerError(.badRequest, reason, explanation)
  }
}

extension Schema {
  /// The schema with the type `Users`, which every container has.
  package var withUsers: Schema {
    guard self[recordType: SystemNames.users] == nil else { return self }
    return copy(of: self) { $0.recordTypes.append(.users) }
  }

  /// The schema after deploying another one to it: everything in this schema, and what the other one adds, also the
  /// preferred type of a NUMBER. Indexes and grants are never removed.
  func adding(_ other: Schema) throws -> Schema {
    var result = self
    let places = Dictionary(recordTypes.enumerated().map { ($1.name, $0) }) { first, _ in first }
    for role in other.roles where !result.roles.contains(role) { result.roles.append(role) }
    for type in other.recordTypes {
      guard let index = places[type.name] else {
        result.recordTypes.append(type)
        continue
      }
      result.recordTypes[index] = try result.recordTypes[index].adding(type)
    }
    return result
  }
}

extension RecordType {
  fileprivate func adding(_ other: RecordType) throws -> RecordType {
    var result = self
    for field in other.fields {
      guard let index = result.fields.firstIndex(where: { $0.name == field.name }) else {
        result.fields.append(field)
        continue
      }
      if result.fields[index].type.isDecided(by: field.type) { result.fields[index].type = field.type }
      guard result.fields[index].type == field.type else {
        throw SchemaReplacementCheck.refusal(
          "invalid attempt to change the type of field '\(field.name)' in type '\(name)' from "
            + "\(result.fields[index].type) to \(field.type)",
          "\(name).\(field.name) has the type \(result.fields[index].type)")
      }
      result.fields[index].indexes.formUnion(field.indexes)
    }
    for grant in other.grants {
      if let index = result.grants.firstIndex(where: { $0.role == grant.role }) {
        result.grants[index].privileges.formUnion(grant.privileges)
      } else {
        result.grants.append(grant)
      }
    }
    return result
  }
}

extension Schema {
  /// This schema with the record type and fields of a written record added, or `nil` if it has them all: the
  /// just-in-time schema of development (Documentation/reference/web-services.md#just-in-time-schema). New fields
  /// have no index.
  ///
  /// Throws ``ServerError`` for a new name that a schema cannot declare.
  func growing(_ typeName: String, by fields: [String: FieldValue?]) throws -> Schema? {
    var type = try self[recordType: typeName] ?? RecordType(Schema.declarable(typeName, "record type"))
    let known = Set(type.fields.map(\.name))
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard !known.contains(name), !name.hasPrefix("_"),
        let dataType = value.flatMap({ DataType.named[$0.type.description] })
      else { continue }
      type.fields.append(Field(try Schema.declarable(name, "field"), dataType))
    }
    var schema = self
    if let index = recordTypes.firstIndex(where: { $0.name == typeName }) {
      guard recordTypes[index] != type else { return nil }
      schema.recordTypes[index] = type
    } else {
      schema.recordTypes.append(type)
    }
    return schema
  }

  private static func declarable(_ name: String, _ what: String) throws -> String {
    guard isPlainName(name) else {
      throw ServerError.malformed(
        "the name of a \(what) must begin with a letter and contain only ASCII letters, digits and '_'")
    }
    return name
  }
}
