internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

/// A file of records, a JSON object a line.
struct RecordLines {
  private(set) var records: [Record] = []
  private let source: SourceText
  /// Of each record's line.
  private var places: [SourceRange] = []
  private var lineOfName: [ExactText: Int] = [:]

  /// Reads all lines; throws a failure that shows every line that is not a record, or is one that an earlier line
  /// is: records of all types share their names.
  init(_ path: String) throws {
    source = try InputFile.source(path)
    var diagnostics: [Diagnostic] = []
    var start = 0
    for line in source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      try Task.checkCancellation()
      if line.contains(where: { $0 > 0x20 }) { diagnostics += add(line, at: start) }
      start += line.count + 1
    }
    try RecordLines.refuse(diagnostics)
  }

  private mutating func add(_ line: ArraySlice<UInt8>, at start: Int) -> [Diagnostic] {
    let place = source.range(start..<start + line.count)
    do {
      let record = try Record(portableJSON: JSONValue(parsing: line))
      records.append(record)
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
      return [Diagnostic(RecordRule.notARecord, (error as? FieldValueError)?.reason ?? "\(error)", at: place)]
    }
  }

  private func repetition(of record: Record, at place: SourceRange, first: Int) -> Diagnostic {
    Diagnostic(
      RecordRule.repeatedName, "record '\(record.recordName)' is in line \(first) already", at: place,
      help: "A record has one line: leave out the one at \(source.name):\(first), or this one.")
  }

  /// Refuses what no container would take, before anything is written: types that the schema does not have, and
  /// names that records of other types bear.
  ///
  /// - Parameters:
  ///   - existing: for each record the one of its name in the container.
  ///   - schema: `nil` when it cannot be had.
  func check(against existing: [Record?], _ schema: Schema?) throws {
    let types = schema?.recordTypes.map(\.name)
    try RecordLines.refuse(
      zip(zip(records, places), existing).compactMap { line, present in
        let (record, place) = line
        if let types, !types.contains(record.recordType) {
          return unknownType(of: record, at: place, Suggestion.nearest(to: record.recordType, among: types))
        }
        guard let present, present.recordType != record.recordType else { return nil }
        return Diagnostic(
          RecordRule.otherType,
          "record '\(record.recordName)' is a \(present.recordType) in the container, no \(record.recordType)",
          at: place, help: "Records of all types share their names: give this one another.")
      })
  }

  private func unknownType(of record: Record, at place: SourceRange, _ near: String?) -> Diagnostic {
    Diagnostic(
      RecordRule.unknownType, "the container's schema has no record type '\(record.recordType)'", at: place,
      help: near.map { "Did you mean '\($0)'?" } ?? "Import the schema that declares it first.")
  }

  private static func refuse(_ diagnostics: [Diagnostic]) throws {
    guard !diagnostics.isEmpty else { return }
    throw CommandFailure("nothing was imported", code: "bad-input", diagnostics: diagnostics)
  }
}
