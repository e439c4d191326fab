package import CloudKitModel
package import Diagnostics
package import SchemaLanguage

/// A file of records with a JSON object on each line: in the format of `records export`, or with plain values whose
/// types the schema declares.
package struct RecordFile {
  package private(set) var records: [Record] = []
  /// The values that each record's line names; `nil` is to clear the field.
  private(set) var values: [[String: FieldValue?]] = []
  private let source: SourceText
  private let schema: Schema?
  /// Of each record's line.
  private var places: [SourceRange] = []
  private var lineOfName: [ExactText: Int] = [:]

  /// - Parameter schema: the container's; `nil` where it cannot be read.
  /// - Throws: a failure that shows every line that is not a record, that no container with the schema takes, or that
  ///   repeats the name of an earlier record, and `CancellationError`.
  package init(_ source: SourceText, schema: Schema?) throws {
    self.source = source
    self.schema = schema
    let start = source.bytes.firstIndex { $0 > 0x20 } ?? 0
    if source.bytes.dropFirst(start).first == UInt8(ascii: "[") {
      try RecordFile.refuse([
        Diagnostic(
          RecordRule.invalidJSON, "the file is one JSON array", at: source.range(start..<start + 1),
          help: "\(RecordFile.form); 'jq -c .[] FILE' prints an array so.")
      ])
    }
    try readLines()
  }

  private static let form = "Write one JSON object a line, as 'records export' does"

  private mutating func readLines() throws {
    var diagnostics: [Diagnostic] = []
    var hasObject = false
    var start = 0
    for line in source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      try Task.checkCancellation()
      if let first = line.first(where: { $0 > 0x20 }) {
        hasObject = hasObject || first == UInt8(ascii: "{")
        diagnostics += add(line, at: start)
      }
      start += line.count + 1
    }
    // In a file of another format, such as CSV, each line is wrong for the same reason.
    if !hasObject, let first = diagnostics.first, first.code == RecordRule.invalidJSON.code {
      diagnostics = [
        Diagnostic(RecordRule.invalidJSON, first.message, at: first.range, help: "\(RecordFile.form).")
      ]
    }
    try RecordFile.refuse(diagnostics)
  }

  private mutating func add(_ line: ArraySlice<UInt8>, at start: Int) -> [Diagnostic] {
    let place = source.range(start..<start + line.count)
    do {
      let json = try JSONValue(parsing: line)
      if let type = json["recordType"]?.string, let schema, schema[recordType: type] == nil {
        return [unknownType(type, in: schema, at: place)]
      }
      let record = try record(json)
      var values = record.fields.mapValues(Optional.some)
      for (field, _) in json["fields"]?.object?.members ?? [] where record.fields[field] == nil {
        values[field] = .some(nil)
      }
      if let refusal = refusal(of: record, values) { throw FieldValueError.invalid(refusal) }
      records.append(record)
      self.values.append(values)
      places.append(place)
      if let first = lineOfName[ExactText(record.recordName)] {
        return [repetition(of: record, at: place, first: first)]
      }
      lineOfName[ExactText(record.recordName)] = place.start.line
      return []
    } catch let error as JSONSyntaxError {
      let range = start + error.range.lowerBound..<start + error.range.upperBound
      return [Diagnostic(RecordRule.invalidJSON, error.message, at: source.range(range))]
    } catch {
      let reason = (error as? FieldValueError)?.reason ?? CommandFailure(error).message
      return [Diagnostic(RecordRule.notARecord, reason, at: place)]
    }
  }

  /// Why every container with the schema refuses the record.
  private func refusal(of record: Record, _ values: [String: FieldValue?]) -> String? {
    Record.isName(record.recordName)
      ? schema?[recordType: record.recordType]?.refusal(of: values)
      : "a record name has 1 to \(ContainerLimits.recordName) ASCII characters"
  }

  /// A plain value gets the type that the schema declares for its field.
  private func record(_ json: JSONValue) throws(FieldValueError) -> Record {
    let declared = json["recordType"]?.string.flatMap { schema?[recordType: $0] }
    guard let declared, let fields = json["fields"], fields.object != nil, case .object(var object) = json
    else { return try Record(portableJSON: json) }
    object["fields"] = [:]
    var record = try Record(portableJSON: .object(object))
    record.fields = try FieldNotation.fields(fields, declared: declared.fieldTypes)
    return record
  }

  private func repetition(of record: Record, at place: SourceRange, first: Int) -> Diagnostic {
    Diagnostic(
      RecordRule.repeatedName, "record '\(record.recordName)' is already in line \(first)", at: place,
      help: "A record may have only one line. Remove the one at \(source.name):\(first), or this one.")
  }

  /// Refuses records whose names records of other types bear, and assets whose files those in the container do not have,
  /// before anything is written.
  ///
  /// - Parameter existing: for each record the one of its name in the container.
  func check(against existing: [Record?]) throws {
    var assets: [(field: String, type: String, place: SourceRange)] = []
    let otherTypes = zip(zip(records, places), existing).compactMap { line, present -> Diagnostic? in
      let (record, place) = line
      if let present, present.recordType != record.recordType {
        return Diagnostic(
          RecordRule.otherType,
          "record '\(record.recordName)' is a \(present.recordType) in the container, not a \(record.recordType)",
          at: place, help: "Record names are unique across all types: give this record another name.")
      }
      let lost = record.fields.filter { $1.lacksUpload && present?.fields[$0] != $1 }
      for field in lost.keys.sorted() { assets.append((field, record.recordType, place)) }
      return nil
    }
    // One for each field, because an export may have thousands of files.
    let withoutFile = assets.groups { [$0.type, $0.field] }.map { group in
      let (field, type, place) = group[0]
      let more = group.count == 1 ? "" : "; this is the first of \(group.count) lines"
      return Diagnostic(
        RecordRule.assetWithoutFile,
        "field \(field) is an asset, and the container's record does not have its file\(more)", at: place,
        help:
          "This tool uploads no files. To import the rest: jq -c 'del(select(.recordType == \"\(type)\").fields.\(field))' FILE"
      )
    }
    try RecordFile.refuse(otherTypes + withoutFile)
  }

  private func unknownType(_ name: String, in schema: Schema, at place: SourceRange) -> Diagnostic {
    Diagnostic(
      RecordRule.unknownType, "the container's schema has no record type '\(name)'", at: place,
      help: SpellingSuggestion.question(name, among: schema.recordTypes.map(\.name))
        ?? "Import the schema that declares it first.")
  }

  private static func refuse(_ diagnostics: [Diagnostic]) throws {
    guard !diagnostics.isEmpty else { return }
    throw CommandFailure("nothing was imported", code: "bad-input", diagnostics: diagnostics)
  }
}

/// The codes of findings in a file of records.
package enum RecordRule: String, RuleCode {
  case invalidJSON = "RC0101"
  case notARecord = "RC0102"
  case repeatedName = "RC0103"
  case unknownType = "RC0104"
  case otherType = "RC0105"
  case assetWithoutFile = "RC0106"

  package static let page = RulePage(.record, PackageResources.RecordRules_md)
}
