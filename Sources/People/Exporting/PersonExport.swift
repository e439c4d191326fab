package import CloudKitModel
package import Cryptography
package import Diagnostics
package import RecordChanges
package import SchemaLanguage

/// The records of one person as a document, which the operator forwards and cannot read when it is encrypted.
package struct PersonExport: Sendable {
  private let search: PersonSearch
  private let schema: Schema
  private let references: ReferenceFields
  /// The fields that say what a record is about.
  private let subjects: ReferenceFields

  package init(
    of person: Person, in container: any Container, _ schema: Schema, references: ReferenceFields,
    pseudonyms: [PseudonymCondition], relations: [DeclaredRelation] = [], subjects: [ReferenceField] = [],
    lacks: [String: String] = [:]
  ) {
    search = PersonSearch(
      container: container, person: person, pseudonyms: pseudonyms, relations: relations, lacks: lacks)
    self.subjects = ReferenceFields(references.all + subjects, in: schema)
    self.schema = schema
    self.references = references
  }

  /// Reads the person's records, and encrypts them for the certificate.
  ///
  /// Throws the container's errors, ``CertificateError``, and ``CommandFailure`` if the person is unknown.
  ///
  /// - Parameters:
  ///   - certificate: `nil` leaves the document as it is, as JSON.
  ///   - mirrors: for the report.
  /// - Returns: the document, as an envelope in PEM when it is encrypted, and the report, which has counts only.
  package func run(
    for certificate: RecipientCertificate?, at now: Timestamp, _ mirrors: [KnownMirror] = []
  ) async throws -> (document: [UInt8], report: PlainReport) {
    let found = try await search.run(in: schema, references)
    do {
      let document = try await document(found, at: now).bytes(.pretty)
      return (
        try certificate?.encrypt(document) ?? document,
        Self.report(found, in: search.container.identity, mirrors, isEncrypted: certificate != nil)
      )
    } catch { throw search.person.redacted(error) }
  }

  private func document(_ found: [FoundInType], at now: Timestamp) async throws -> JSONValue {
    var records: [(record: Record, traces: Set<FoundRecord.Trace>)] = []
    let all = found.flatMap(\.records)
    let outcomes = try await search.container.lookupAll(all.map(\.record.recordName))
    for (found, outcome) in zip(all, outcomes) {
      if let record = try outcome.found { records.append((record, found.traces)) }
    }
    // A record name means nothing to a person.
    let titles = try await titles(of: Set(records.map(\.record).flatMap(targets)))
    let container = search.container.identity
    return PersonalDataPlaces(container).json(after: [
      "exported": now.iso8601.json, "container": container.name.json,
      "environment": container.environment.rawValue.json, "user": search.person.userRecordName.json,
      "records": .array(records.map { self.json($0.record, $0.traces, titles) }),
      "notSearched": .array(
        found.compactMap { type in
          type.plan.problemText.map { ["type": .string(type.plan.recordType), "problem": .string($0)] }
        }),
    ])
  }

  private func json(
    _ record: Record, _ traces: Set<FoundRecord.Trace>, _ titles: [String: String]
  ) -> JSONValue {
    let about = targets(of: record).compactMap { titles[$0] }
    return record.portableJSON.adding([
      "created": record.created?.timestamp.iso8601.json, "modified": record.modified?.timestamp.iso8601.json,
      "createdByPerson": traces.contains(.creator).json, "about": about.isEmpty ? nil : about.json,
    ])
  }

  /// The names of the records that a record is about. A text can also be what no record is named.
  private func targets(of record: Record) -> [String] {
    subjects.all.filter { $0.recordType == record.recordType }
      .flatMap { record[$0.field]?.referredNames ?? [] }
      .filter(Record.isName).unique
  }

  private func titles(of names: Set<String>) async throws -> [String: String] {
    let persons = PersonFields(schema, search.relations)
    let outcomes = try await search.container.lookupAll(names.sorted(), desiredKeys: Record.titleFields)
    return outcomes.compactMap(\.record).reduce(into: [:]) { titles, record in
      let fields = schema[recordType: record.recordType].map(persons.titles) ?? []
      titles[record.recordName] = fields.lazy.compactMap { record[$0]?.string }.first
    }
  }

  /// The report of `person export`: counts, not record names.
  static func report(
    _ found: [FoundInType], in container: ContainerIdentity, _ mirrors: [KnownMirror] = [], isEncrypted: Bool
  ) -> PlainReport {
    let places = PersonalDataPlaces(container, mirrors, of: found.map(\.plan))
    let json = places.json(after: [
      "types": .array(found.map { $0.plan.json(["found": $0.records.count.json]) }),
      "complete": .bool(found.allSatisfy { $0.plan.problem == nil }),
    ])
    var table = Table([.init("record type"), .init("found", .right), .init("searched")])
    for type in found { table.add("\(type.plan.recordType)", "\(type.records.count)", "\(type.plan.way)") }
    return PlainReport(json: json, failure: found.map(\.plan).searchFailure, isConfirmation: true) {
      table
      "exported \(counted(found.reduce(0) { $0 + $1.records.count }, "record")), \(isEncrypted ? "encrypted for the certificate" : "not encrypted")"
      places.body
    }
  }
}

extension CertificateError: CommandFailureConvertible {
  package var failure: CommandFailure { CommandFailure(description, code: "bad-certificate", hint: hint) }
}
