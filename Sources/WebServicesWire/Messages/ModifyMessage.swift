package import CloudKitModel
package import Diagnostics

package struct ModifyMessage: WireMessage, Hashable {
  /// One operation, or why its record alone must be refused.
  package enum Entry: Sendable, Hashable {
    case operation(RecordOperation)
    case refused(recordName: String?, ServerError)
  }

  package var operations: [Entry]
  package var zoneID: ZoneID?
  /// Applies to custom zones only, and the public database has none.
  package var atomic: Bool?
  package var desiredKeys: [String]?
  /// For each operation: CloudKit JS can ask for it one by one.
  package var numbersAsStrings: [Bool]
  /// A made-up user for each operation. Only this tool's emulator knows the key.
  package var simulatedCreators: [String]?

  package init(_ operations: [RecordOperation]) {
    self.operations = operations.map(Entry.operation)
    numbersAsStrings = operations.map { _ in false }
  }

  package init(json: JSONValue) throws(WireFormatError) {
    operations = try json.requiredList("operations", Entry.init(json:))
    zoneID = try json.zoneID()
    atomic = try json.bool("atomic")
    desiredKeys = try json.strings("desiredKeys")
    simulatedCreators = try json.strings(Self.creatorsKey)
    let common = try json.bool("numbersAsStrings") ?? false
    let own = try json.list("operations") { entry throws(WireFormatError) in
      try entry.bool("numbersAsStrings") ?? common
    }
    numbersAsStrings = own ?? []
  }

  package var json: JSONValue {
    let entries = zip(operations, numbersAsStrings).compactMap { $0.json(numbersAsStrings: $1) }
    return .object([
      "operations": .array(entries), "zoneID": zoneID?.json, "atomic": atomic?.json,
      "desiredKeys": desiredKeys?.json, Self.creatorsKey: simulatedCreators?.json,
    ])
  }

  private static let creatorsKey = "celestraSimulatedCreators"
}

extension ModifyMessage.Entry {
  /// A value that does not fit its type is this record's own mistake; everything else malformed spoils the whole
  /// request (Documentation/reference/web-services.md#modify).
  init(json: JSONValue) throws(WireFormatError) {
    let kind = try json.require(
      "operationType", json.word("operationType", as: RecordOperation.Kind.self))
    let desiredKeys = try json.strings("desiredKeys")
    self = try json.require(
      "record",
      json.member("record") { record throws(WireFormatError) in try Self.read(record, kind, desiredKeys) })
  }

  private static func read(
    _ record: JSONValue, _ kind: RecordOperation.Kind, _ desiredKeys: [String]?
  ) throws(WireFormatError) -> Self {
    let recordName = try record.string("recordName")
    var operation = RecordOperation(
      kind, recordType: try record.string("recordType"), recordName: recordName,
      changeTag: try record.string("recordChangeTag"), desiredKeys: desiredKeys)
    let fields = try record.member("fields") { json throws(WireFormatError) in json.object }
    // Clients delete a record as they read it, with values that could not be written, as of assets.
    let isDeletion = kind == .delete || kind == .forceDelete
    for member in fields??.members ?? [] {
      switch Result(catching: { () throws(FieldValueError) in try FieldValue.readingWritten(member.value) }) {
      case .failure(.malformed):
        throw WireFormatError("is not a field value").inside(member.key).inside("fields")
      case _ where isDeletion: continue
      case .success(let value): operation.fields[member.key] = .some(value)
      case .failure(.invalid(let reason)):
        return .refused(recordName: recordName, ServerError(.badRequest, reason))
      }
    }
    return .operation(operation)
  }

  /// `nil` for a refusal, which has no place in a request.
  func json(numbersAsStrings: Bool) -> JSONValue? {
    guard case .operation(let operation) = self else { return nil }
    let fields = operation.fields.sorted { $0.key < $1.key }.map {
      (key: $0.key, value: $0.value?.json ?? ["value": .null])
    }
    let record: JSONObject = [
      "recordType": operation.recordType?.json, "recordName": operation.recordName?.json,
      "recordChangeTag": operation.changeTag?.json,
      "fields": fields.isEmpty ? nil : .object(JSONObject(fields)),
    ]
    return .object([
      "operationType": .string(operation.kind.rawValue), "record": .object(record),
      "desiredKeys": operation.desiredKeys?.json, "numbersAsStrings": numbersAsStrings.jsonIfTrue,
    ])
  }
}

extension FieldValue {
  /// A field may be cleared with `null` as well as with `{"value": null}`.
  fileprivate static func readingWritten(_ json: JSONValue) throws(FieldValueError) -> FieldValue? {
    json.isNull ? nil : try reading(json)
  }
}
