package import CloudKitModel
package import Diagnostics
package import SchemaLanguage

extension RecordType {
  /// Why a container refuses these fields from every user; `nil` if it does not.
  func refusal(of fields: [String: FieldValue?]) -> String? {
    let own = self.fields.filter { !$0.isSystem }
    guard let (name, refusal) = fields.firstRefusal({ name in own.first { $0.name == name }?.type }) else {
      return fields.compactMapValues(\.self).size > ContainerLimits.recordSize
        ? "the record is larger than \(ContainerLimits.recordSize) bytes" : nil
    }
    switch refusal {
    case .unknownField:
      let hint = SpellingSuggestion.question(name, among: own.map(\.name))
      return "\(self.name) has no field '\(name)'" + (hint.map { ". \($0)" } ?? "")
    case .encryptedField: return "field \(name): the public database takes no encrypted fields"
    case .otherType(let value, let declared): return "field \(name) is \(declared), not \(value.type)"
    case .outOfRange(let reason): return "field \(name) \(reason)"
    }
  }

  var fieldTypes: [String: FieldType] {
    Dictionary(fields.map { ($0.name, FieldType($0.type)) }, uniquingKeysWith: { first, _ in first })
  }
}

package struct KnownRecordType: Sendable {
  package let name: String
  /// The types of the fields; `nil` where the schema cannot be read, and every field is taken for granted.
  package let fields: [String: FieldType]?
  private let type: RecordType?

  /// - Throws: a usage failure for a type that the schema does not have.
  package init(_ name: String, in schema: Schema?) throws {
    self.name = name
    type = schema?[recordType: name]
    fields = type?.fieldTypes
    guard let schema, type == nil else { return }
    throw CommandFailure.usage(
      "the container's schema has no record type '\(name)'", hint: Self.hint(for: name, in: schema))
  }

  /// The nearest type of a schema, or its types, or that it has none.
  package static func hint(for name: String, in schema: Schema) -> String {
    let types = schema.recordTypes.map(\.name).filter { !SystemNames.isManaged($0) }
    return SpellingSuggestion.question(name, among: types)
      ?? (types.isEmpty
        ? "The container has no record types: its schema is empty."
        : "The types are \(types.joined(separator: ", ")).")
  }

  /// Refuses a field that the type does not have. Every type has the system fields.
  ///
  /// - Parameter isRead: whether the name may mean a system field, which cannot be written.
  package func require(_ field: String, isRead: Bool = false) throws(CommandFailure) {
    guard let fields, fields[field] == nil, !field.hasPrefix("___") else { return }
    let near = SpellingSuggestion.nearest(to: field, among: fields.keys.sorted())
    let meant =
      isRead
      ? SystemField(rawValue: field)?.storedName ?? near ?? SystemField.nearest(to: field)?.storedName : near
    throw .usage("\(name) has no field '\(field)'", hint: meant.map { "Did you mean '\($0)'?" })
  }

  /// The query that a command line asks for.
  ///
  /// - Throws: a usage failure, also for a field that the type does not have.
  package func query(filters: [String], sorts: [String], printed: [String], now: Timestamp) throws -> Query {
    let query = try QueryNotation.query(name, filters: filters, sorts: sorts, declared: fields, now: now)
    for field in query.fields.map(\.storedName) + printed { try require(field, isRead: true) }
    return query
  }

  /// The values of a JSON object of fields. A field that is `null` has none: it is to be removed.
  package func values(from source: SourceText) throws(CommandFailure) -> [String: FieldValue?] {
    let json = try source.json(RecordRule.invalidJSON)
    do { return try values(json) } catch let error as FieldValueError {
      throw CommandFailure("\(source.name): \(CommandFailure(error).message)", code: "bad-input")
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The values of assignments such as `title=The Verge`, `isRetired=1`, `tags=["news"]`. `FIELD=null` removes a field.
  ///
  /// The declared type decides how a value is read: a text, a time or a record name as it is written, anything else as
  /// JSON. Throws a usage failure.
  ///
  /// - Parameter now: what `now` and `-3h` for a time count from.
  package func values(
    assignments: [String], now: Timestamp? = nil
  ) throws(CommandFailure) -> [String: FieldValue?] {
    var object = JSONObject()
    for assignment in assignments {
      guard let equals = assignment.firstIndex(of: "="), equals != assignment.startIndex else {
        throw .usage("'\(assignment)' is not an assignment", hint: "Write it as FIELD=VALUE.")
      }
      let field = String(assignment[..<equals])
      try require(field)
      guard object[field] == nil else { throw .usage("'\(field)' is set twice") }
      object[field] = try value(String(assignment[assignment.index(after: equals)...]), of: field, now)
    }
    do { return try values(.object(object)) } catch {
      throw .usage(CommandFailure(error).message)
    }
  }

  private func value(_ text: String, of field: String, _ now: Timestamp?) throws(CommandFailure) -> JSONValue
  {
    if text == "null" { return .null }
    // Without a schema, what is JSON is read as such.
    guard let type = fields?[field] else { return (try? JSONValue(parsing: text)) ?? .string(text) }
    if type == .scalar(.timestamp), let number = Int64(text), number.magnitude < 100_000_000_000 {
      throw .usage(
        "'\(field)' is a TIMESTAMP, and '\(text)' would be \(Timestamp(milliseconds: number).iso8601): a number is in milliseconds since 1970",
        hint: type.advice)
    }
    let json: JSONValue? =
      switch type {
      case .scalar(.timestamp): .string(Timestamp(text: text, now: now)?.iso8601 ?? text)
      case .scalar(.string), .scalar(.reference), .scalar(.bytes): .string(text)
      default: try? JSONValue(parsing: text)
      }
    guard let json, (try? FieldNotation.fields([field: json], declared: [field: type])) != nil else {
      throw .usage("'\(text)' is not a value for '\(field)', which is \(type)", hint: type.advice)
    }
    return json
  }

  private func values(_ json: JSONValue) throws -> [String: FieldValue?] {
    let values = try FieldNotation.fields(json, declared: fields ?? [:])
    let removed = json.object?.members.map(\.key).filter { values[$0] == nil } ?? []
    var all = values.mapValues(Optional.some)
    for name in removed { all[name] = .some(nil) }
    for name in all.keys.sorted() { try require(name) }
    if let reason = type?.refusal(of: all) { throw FieldValueError.invalid(reason) }
    return all
  }
}
