package import CloudKitModel
package import Diagnostics
internal import FoundationEssentials
package import RecordChanges

package struct RecordEdit: Sendable {
  package let change: RecordChange
  /// None until they are set: this module does not know what the record is for.
  package var risks = ChangeRisks()
  /// Whether the record's name was made up: another plan makes up another one.
  private let hasMadeUpName: Bool

  /// A new record. It gets its name here, so that it is not created twice when an answer is lost.
  ///
  /// - Parameter recordName: `nil` for a new UUID.
  package init(creating recordType: String, named recordName: String?, _ fields: [String: FieldValue?]) {
    hasMadeUpName = recordName == nil
    let record = Record(
      recordType: recordType, recordName: recordName ?? UUID().uuidString.lowercased(),
      fields: fields.compactMapValues(\.self))
    change = RecordChange(creating: record, label: record.knownName)
  }

  package init?(_ record: Record, _ fields: [String: FieldValue?]) {
    guard let change = RecordChange.toward(fields, of: record, label: record.knownName) else { return nil }
    self.change = change
    hasMadeUpName = false
  }

  /// Refuses an asset whose file would have to be uploaded.
  package func requireUploads() throws(CommandFailure) {
    let assets = change.fields.filter { $1.to?.lacksUpload == true }
    guard let field = assets.keys.min() else { return }
    throw CommandFailure(
      "field \(field) is an asset, and this tool uploads no files", code: "bad-input",
      hint: "Leave the field out here, and set it in an app.")
  }

  /// Throws what creating the record would be refused with.
  package func requireUntaken(in container: some Container) async throws {
    let outcome = try await container.lookup(LookupRequest([change.recordName])).first
    // The right to create does not include the right to read.
    guard outcome?.error?.code != .accessDenied, let record = try outcome?.found else { return }
    let isSame = change.fields.allSatisfy { record.fields[$0.key].isSame(as: $0.value.to) }
    guard record.recordType == change.recordType, isSame else {
      throw failure(because: "a record with this name already exists")
    }
  }

  /// Throws ``CommandFailure`` for new references to records that the container does not have. All are looked up together.
  ///
  /// - Parameter target: the type of the records that a field names; `nil` if it is not known.
  package func requireTargets(
    namesOfSlug: NamedRecord.NamesOfSlug, in container: some Container,
    target: (_ field: String) throws -> KnownRecordType?
  ) async throws {
    // The names of users and of other system records begin with an underscore.
    let added = change.fields.sorted { $0.key < $1.key }.flatMap { field, value in
      let former = Set(value.from?.references ?? []).union([change.recordName])
      return (value.to?.references ?? []).unique.filter { !$0.hasPrefix("_") && !former.contains($0) }
        .map { (field: field, name: $0) }
    }
    let absent = try await container.absentRecords(Set(added.map(\.name)))
    let missing = added.filter { absent.contains($0.name) }
    guard !missing.isEmpty else { return }
    var details: [String] = []
    let maxShown = 10
    for (field, name) in missing.prefix(maxShown) {
      var detail = "\(field) names '\(name.shownAsName)', which does not exist"
      if let type = try target(field) {
        let found = try await NamedRecord.records(called: name, type, namesOfSlug, in: container)
        if let record = found.first, found.count == 1 {
          detail += "; the \(type.name) with this slug is \(record.recordName.shownAsName)"
        }
      }
      details.append(detail)
    }
    if missing.count > maxShown { details.append("… and \(missing.count - maxShown) more") }
    throw CommandFailure(
      missing.count == 1
        ? details[0] : "\(missing.count) references of this record name records that do not exist",
      details: missing.count == 1 ? [] : details, code: "bad-input",
      hint: "Give the names of records. 'records import' writes references to records that do not exist yet.")
  }

  /// The record as it is after the change was written. Throws why it was not.
  package func record(after report: ChangeReport, in container: some Container) async throws -> Record {
    switch report.results.first?.outcome {
    case .failed(let error)?: throw error
    case .conflict(let reason)?: throw failure(because: reason)
    case let outcome:
      if var failure = report.failure {
        // Without the name, the next run would make up another one and create a second record.
        if hasMadeUpName, outcome == .unknown {
          failure.details.append(
            "to run the command again, add --record-name \(change.recordName): it may have been created")
        }
        throw failure
      }
    }
    // It is written, whether it can be read back or not: the right to write does not include the right to read.
    let outcomes = try? await container.lookup(LookupRequest([change.recordName]))
    return outcomes?.first?.record
      ?? Record(
        recordType: change.recordType, recordName: change.recordName,
        fields: change.fields.compactMapValues(\.to))
  }

  /// What is said when the record had the values already.
  package func alreadyWritten(in record: Record) -> String {
    let others = Set(record.fields.keys).subtracting(change.fields.keys).sorted()
    let more = change.action == .update || others.isEmpty ? "" : ", and with \(listed(others, upTo: 10))"
    return "\(shownName) already exists with these fields\(more)."
  }

  private var givenName: String? { hasMadeUpName ? nil : change.recordName.shownAsName }

  package var shownName: String { change.label ?? change.recordName.shownAsName }

  private func failure(because reason: String) -> CommandFailure {
    let isNew = change.action == .create
    return CommandFailure(
      "\(shownName) was not \(isNew ? "created" : "updated"), because \(reason)", code: "conflict",
      hint: isNew
        ? "Choose another name, or change that record with 'records update'." : "Run the command again.")
  }
}

extension RecordEdit: Report {
  /// The plan: what would be written.
  package var json: JSONValue {
    var plan = change.planJSON()
    if hasMadeUpName { plan["recordName"] = nil }
    return .object([
      "dryRun": true, "changes": [.object(plan)], "risks": risks.json.risks, "readers": risks.json.readers,
    ])
  }

  package var body: ReportBody {
    if change.action == .create {
      ListItem(
        .created, "\(change.recordType)\((change.label ?? givenName).map { " \($0)" } ?? "")",
        details: change.fields.sorted { $0.key < $1.key }.map { name, value in
          "\(name): \(value.to?.display ?? "none")"
        })
      "would create 1 record"
    } else {
      change.item()
      "would update 1 record"
      risks.affected(by: [change])
      risks.options
    }
  }
}
