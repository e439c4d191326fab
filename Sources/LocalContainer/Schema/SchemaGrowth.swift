internal import CloudKitModel
internal import SchemaLanguage

extension Schema {
  /// This schema with the record type and fields of a written record added, or `nil` if it has them all: the
  /// just-in-time schema of development (Documentation/reference/web-services.md#just-in-time-schema). New fields
  /// have no index.
  ///
  /// Throws ``ServiceRefusal`` for a new name that a schema cannot declare.
  func growing(_ typeName: String, by fields: [String: FieldValue?]) throws -> Schema? {
    var type = try self[recordType: typeName] ?? RecordType(Schema.declarable(typeName, "record type"))
    let known = Set(type.fields.map(\.name))
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard let value, !known.contains(name), !name.hasPrefix("_") else { continue }
      type.fields.append(Field(try Schema.declarable(name, "field"), DataType(value.type)))
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
      throw ServiceRefusal(
        .badRequest, "BadRequestException: Unexpected input",
        "the name of a \(what) must begin with a letter and contain only ASCII letters, digits and '_'")
    }
    return name
  }
}

extension DataType {
  fileprivate init(_ type: FieldType) {
    switch type {
    case .scalar(let scalar): self = .scalar(Primitive(scalar))
    case .list(let scalar): self = .list(Primitive(scalar))
    }
  }
}

extension Primitive {
  fileprivate init(_ type: ScalarType) {
    switch type {
    case .string: self = .plain(.string)
    case .int64: self = .plain(.int64)
    case .double: self = .plain(.double)
    case .timestamp: self = .plain(.timestamp)
    case .bytes: self = .plain(.bytes)
    case .location: self = .plain(.location)
    case .reference: self = .reference
    case .asset: self = .asset
    }
  }
}
