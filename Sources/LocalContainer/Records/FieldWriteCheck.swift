internal import CloudKitModel
internal import SchemaLanguage

struct FieldWriteCheck {
  let table: RecordTypeTable
  let environment: Environment

  /// The fields as they are stored: an empty list, which fits every list field, gets its field's type. Throws the
  /// refusal of the first refused field by name.
  func accepted(_ fields: [String: FieldValue?]) throws -> [String: FieldValue?] {
    try check(fields)
    guard fields.values.contains(where: { $0?.isEmptyList == true }) else { return fields }
    return Dictionary(
      uniqueKeysWithValues: fields.map { name, value in
        guard value?.isEmptyList == true, let type = table[field: name]?.type else { return (name, value) }
        return (name, .list(of: type.element, []))
      })
  }

  /// Throws the refusal of the first refused field by name.
  func check(_ fields: [String: FieldValue?]) throws {
    guard let (name, refusal) = fields.firstRefusal({ table[field: $0]?.field.type }) else { return }
    guard let column = table[field: name] else { throw unknown(name) }
    switch refusal {
    case .unknownField: throw unknown(name)
    case .encryptedField:
      throw ServerError(
        .badRequest, "encrypted fields are not supported in the public database",
        "\(table.type.name).\(name) is declared ENCRYPTED")
    case .otherType(let value, _): throw Self.mismatch(value, column, in: table)
    case .outOfRange(let reason):
      throw ServerError(
        .badRequest, "Invalid value, expected type \(column.type.wireName).", "\(name) \(reason)")
    }
  }

  static func mismatch(_ value: FieldValue, _ column: FieldColumn, in table: RecordTypeTable)
    -> ServerError
  {
    // The service's text for a date that is sent without a type
    // (Documentation/reference/web-services.md#field-types, L).
    if column.type == .scalar(.timestamp), value.number != nil {
      return ServerError(
        .badRequest, "Invalid value, expected type TIMESTAMP.",
        "\(table.type.name).\(column.field.name) is a TIMESTAMP; a number needs the type TIMESTAMP to be read as one"
      )
    }
    return ServerError(
      .badRequest,
      "invalid attempt to set value type \(value.type.wireName) for field '\(column.field.name)' for type "
        + "'\(table.type.name)', defined to be: \(column.type.wireName)",
      "\(table.type.name).\(column.field.name) is a \(column.field.type) in the schema")
  }

  private func unknown(_ name: String) -> ServerError {
    let type = table.type.name
    if name.hasPrefix("_") {
      return ServerError(
        .badRequest, "Unprivileged attempt to insert a system field: \(name)",
        "field names that begin with an underscore are reserved for system fields")
    }
    let explanation = "record type \(type) has no field \(name) in the \(environment.rawValue) schema"
    guard environment == .production else {
      return ServerError(.badRequest, "Field \(name) not found in \(type)", explanation)
    }
    return ServerError(
      .badRequest, "Cannot create or modify field '\(name)' in record '\(type)' in production schema",
      explanation)
  }

  /// Throws ``ServerError`` if the record is larger than the limit (Documentation/reference/web-services.md#limits).
  /// The text of the service's refusal is unknown.
  static func checkSize(_ record: Record, _ behavior: ServerBehavior) throws {
    let size = record.fields.size
    guard size > ContainerLimits.recordSize else { return }
    throw ServerError(
      behavior.overLimit,
      "record to save is \(size) bytes, more than the maximum of \(ContainerLimits.recordSize)",
      "the size counts field names and values, but not assets")
  }
}
