package import CloudKitModel
package import Diagnostics
internal import Platform

/// One planned write of a record, with its changed fields before and after. Every job passes its writes to the
/// executor in this form.
package struct RecordChange: Sendable, Hashable {
  package enum Action: String, Sendable, Hashable, CaseIterable {
    case create, update, delete
  }

  package var action: Action
  package var recordType: String
  package var recordName: String
  /// A readable name for the record: a slug or a URL.
  package var label: String?
  /// The change tag of the record when the change was planned; `nil` for a create.
  package var changeTag: String?
  /// The fields that this change writes. Of a delete, those that are cleared before the first deletion, because records
  /// of a circle keep each other.
  package var fields: [String: FieldChange]

  package init(
    _ action: Action, recordType: String, recordName: String, label: String? = nil, changeTag: String? = nil,
    fields: [String: FieldChange] = [:]
  ) {
    self.action = action
    self.recordType = recordType
    self.recordName = recordName
    self.label = label
    self.changeTag = changeTag
    self.fields = fields
  }

  package var isNamedByPerson: Bool { PersonDigestPlaces.recordTypes.contains(recordType) }

  /// The name of the record in outputs; `nil` if it is the digest of a person.
  package var shownName: String? { label ?? (isNamedByPerson ? nil : recordName.shownAsName) }

  /// The fields in outputs, sorted.
  var shownFields: [(key: String, value: FieldChange)] {
    fields.filter { $0.key != PersonDigestPlaces.field }.sorted { $0.key < $1.key }
  }

  /// The change that gives `existing` the desired values; `nil` if it has them already.
  ///
  /// Only the fields named in `desired` are compared and written, because the others have other owners. A desired
  /// `nil` clears the field.
  package static func toward(
    _ desired: some Sequence<(key: String, value: FieldValue?)>, recordType: String, recordName: String,
    existing: Record?, label: String? = nil
  ) -> RecordChange? {
    var fields: [String: FieldChange] = [:]
    for (name, value) in desired {
      fields.note(FieldChange(from: existing?.fields[name], to: value), of: name)
    }
    return making(
      fields, recordType: recordType, recordName: recordName, isNew: existing == nil,
      changeTag: existing?.changeTag, label: label)
  }

  /// As ``toward(_:recordType:recordName:existing:label:)``, of a record that exists.
  package static func toward(
    _ desired: some Sequence<(key: String, value: FieldValue?)>, of record: Record, label: String? = nil
  ) -> RecordChange? {
    toward(
      desired, recordType: record.recordType, recordName: record.recordName, existing: record, label: label)
  }

  /// The change with these field changes; `nil` if an existing record needs none.
  package static func making(
    _ fields: [String: FieldChange], recordType: String, recordName: String, isNew: Bool,
    changeTag: String?, label: String? = nil
  ) -> RecordChange? {
    guard isNew || !fields.isEmpty else { return nil }
    return RecordChange(
      isNew ? .create : .update, recordType: recordType, recordName: recordName, label: label,
      changeTag: changeTag, fields: fields)
  }

  package var operation: RecordOperation {
    let kind: RecordOperation.Kind =
      switch action {
      case .create: .create
      case .update: .update
      case .delete: .delete
      }
    return RecordOperation(
      kind, recordType: recordType, recordName: recordName, changeTag: changeTag,
      fields: action == .delete ? [:] : fields.mapValues(\.to), desiredKeys: [])
  }

  /// The update that clears the fields of a deletion; `nil` for other changes.
  var clearing: RecordChange? {
    guard action == .delete, !fields.isEmpty else { return nil }
    return copy(of: self) { $0.action = .update }
  }

  /// An update or delete without a change tag, so that the service cannot detect a conflict.
  var lacksChangeTag: Bool { action != .create && changeTag == nil }

  /// The approximate size of this change in a request, in bytes.
  var estimatedSize: Int {
    fields.reduce(200 + recordName.utf8.count) { size, field in
      size + field.key.utf8.count + 40 + (field.value.to?.estimatedSize ?? 0)
    }
  }

  /// The same change based on the current record; `nil` if the record already has the values.
  package func reapplied(to current: Record) -> RecordChange? {
    guard case .retry(let change) = resolve(against: current, policy: .reapply) else { return nil }
    return change
  }

  /// Decides from the current record alone, so that a lost reply, a killed run and a concurrent client are handled in
  /// the same way, and no change is applied twice.
  func resolve(against current: Record?, policy: ConflictPolicy) -> ChangeResolution {
    switch (action, current) {
    case (.delete, nil): .alreadyApplied
    case (.create, nil): .retry(self)
    case (.update, nil): .conflict("it was deleted since")
    case (_, let current?) where current.recordType != recordType:
      .conflict("the name belongs to a record of type \(current.recordType)")
    case (.delete, let current?): resolveDelete(current, policy)
    case (.create, let current?), (.update, let current?): resolveValues(current, policy)
    }
  }

  private func resolveDelete(_ current: Record, _ policy: ConflictPolicy) -> ChangeResolution {
    guard policy == .reapply || changeTag == current.changeTag else {
      return .conflict("it was changed since it was planned")
    }
    var change = self
    change.changeTag = current.changeTag
    return .retry(change)
  }

  private func resolveValues(_ current: Record, _ policy: ConflictPolicy) -> ChangeResolution {
    let pending = fields.filter { !current.fields[$0.key].isSame(as: $0.value.to) }
    if pending.isEmpty { return .alreadyApplied }
    if policy == .refuse, action == .create {
      return .conflict("a record with this name already exists, with another \(pending.keys.sorted()[0])")
    }
    let moved = pending.filter { !current.fields[$0.key].isSame(as: $0.value.from) }.keys.sorted()
    if policy == .refuse, !moved.isEmpty {
      return .conflict("another run or client changed \(moved.joined(separator: ", "))")
    }
    var rest = pending
    for (name, field) in pending { rest[name] = FieldChange(from: current.fields[name], to: field.to) }
    return .retry(RecordChange(.update, of: current, label: label, fields: rest))
  }
}

/// The value of one field before and after a change; `nil` is an absent value. Changes are printed and kept, so they
/// have no addresses of assets.
package struct FieldChange: Sendable, Hashable {
  package var from: FieldValue?
  package var to: FieldValue?

  package init(from: FieldValue? = nil, to: FieldValue?) {
    self.from = from?.withoutAddress
    self.to = to?.withoutAddress
  }

  package var isEmpty: Bool { from.isSame(as: to) }
}

/// The digests of persons that records hold. Outputs of changes leave them out
/// (Documentation/Privacy.md#what-it-knows).
package enum PersonDigestPlaces {
  /// The types whose records have such names.
  package static let recordTypes: Set<String> = [subscription, blockedUser]
  package static let subscription = "FeedSubscription"
  package static let blockedUser = "BlockedUser"
  package static let field = "blockedUser"
}

extension Record {
  /// The name that people know the record by, where its record name is a made-up or derived one: its slug, title or name.
  /// `nil` if the record name is as good.
  package var knownName: String? {
    let bytes = recordName.utf8
    guard bytes.count >= 32, bytes.allSatisfy({ $0.isHexDigit || $0 == UInt8(ascii: "-") }) else {
      return nil
    }
    return first(of: Self.knownNameFields)
  }

  package static let knownNameFields = ["slug"] + titleFields

  /// Its own title or name; `nil` without one.
  package var shownTitle: String? { first(of: Self.titleFields) }

  package static let titleFields = ["title", "name"]

  /// `The Verge (a)`: its title and its record name, or the record name alone, also where that is of a user record.
  package var titleAndName: String {
    let title = recordName.containsUserRecordName ? nil : shownTitle
    return title.map { "\($0) (\(recordName.shownAsName))" } ?? recordName.shownAsName
  }

  private func first(of fields: [String]) -> String? {
    fields.lazy.compactMap { self[$0]?.string }.first { !$0.isEmpty }
  }
}

extension [String: FieldChange] {
  /// Adds the change of a field if its values differ.
  package mutating func note(_ change: FieldChange, of name: String) {
    if !change.isEmpty { self[name] = change }
  }
}

extension FieldValue? {
  /// An empty list and an absent value are the same, so that no plan differs for the type of an empty list, which older
  /// replies do not have (Documentation/reference/web-services.md#field-types).
  package func isSame(as other: FieldValue?) -> Bool { isAbsent ? other.isAbsent : self == other }

  private var isAbsent: Bool {
    switch self {
    case nil: true
    case .list(_, let elements)?: elements.isEmpty
    default: false
    }
  }
}

/// With typed values, so that nothing is lost between planning and applying.
extension RecordChange: FileRecord {
  package init() { self.init(.create, recordType: "", recordName: "") }

  package static let members: [FileMember<Self>] = [
    FileMember("action", \.action), FileMember("recordType", \.recordType),
    FileMember("recordName", \.recordName), FileMember("label", optional: \.label),
    FileMember("changeTag", optional: \.changeTag), FileMember("fields", orEmpty: \.fields),
  ]
}

extension RecordChange.Action: FileValue {}

extension FieldChange: FileRecord {
  package init() { self.init(to: nil) }

  package static let members: [FileMember<Self>] = [
    FileMember("from", optional: \.from), FileMember("to", optional: \.to),
  ]
}

extension FieldValue: FileValue {
  package init(json: JSONValue) throws {
    let value: FieldValue?
    do throws(FieldValueError) { value = try FieldValue.reading(json) } catch {
      throw FileFormError("a field value cannot be read: \(error.reason)")
    }
    self = try json.expect(value, "a field value")
  }
}

extension Environment: FileValue {}

extension Timestamp: FileValue {
  package var json: JSONValue { .integer(milliseconds) }
  package init(json: JSONValue) throws {
    let milliseconds = json.integer.flatMap { UTCTime.years.contains($0) ? $0 : nil }
    self.init(milliseconds: try json.expect(milliseconds, "a time"))
  }
}

extension FileFormError: CommandFailureConvertible {
  package var failure: CommandFailure { CommandFailure(description, code: "bad-plan") }
}

extension [RecordChange] {
  /// The number of changes from the start that fit into one request: at least one, and only one for each record.
  ///
  /// - Parameter maxBytes: the approximate size in bytes of JSON. A quarter of the service's limit is reserved for the JSON
  ///   around the records.
  func batchLength(maxBytes: Int = 1_500_000) -> Int {
    var bytes = 0
    var names = Set<String>()
    for change in self {
      bytes += change.estimatedSize
      guard bytes <= maxBytes || names.isEmpty, names.insert(change.recordName).inserted else { break }
    }
    return names.count
  }

  /// The fields that name records made later in the list with the action VALIDATE, by the index of the change.
  var fieldsOfLaterRecords: [Int: [String: FieldChange]] {
    let referring = enumerated().filter { entry in
      entry.element.action != .delete
        && entry.element.fields.values.contains { $0.to?.validatedTargets.isEmpty == false }
    }
    guard !referring.isEmpty else { return [:] }
    let places = indices.filter { self[$0].action == .create }.keyed { self[$0].recordName }
    return referring.reduce(into: [:]) { found, entry in
      let fields = entry.element.fields.filter { _, field in
        field.to?.validatedTargets.contains { places[$0].map { $0 > entry.offset } ?? false } ?? false
      }
      if !fields.isEmpty { found[entry.offset] = fields }
    }
  }
}

extension FieldValue {
  fileprivate var estimatedSize: Int {
    switch self {
    case .string(let text): text.utf8.count * 9 / 8
    case .bytes(let bytes): bytes.count * 4 / 3
    case .list(_, let values): values.reduce(0) { $0 + $1.estimatedSize + 1 }
    case .reference(let reference): reference.recordName.utf8.count + 40
    case .location, .asset: 400
    case .int64, .double, .timestamp: 20
    }
  }
}

/// The choice of how a change is applied if another client changed the record since the plan.
package enum ConflictPolicy: Sendable, Hashable {
  /// A field that another client changed keeps its value, and the change is reported as a conflict. For editorial
  /// fields, because an editor must decide.
  case refuse
  /// The change's fields are written even if another client changed them. For computed fields, because only the job
  /// may write them.
  case reapply
}

/// The decision about a pending change, made from the current record.
enum ChangeResolution: Hashable {
  /// The record already has the values: an earlier attempt or another run wrote them.
  case alreadyApplied
  case retry(RecordChange)
  case conflict(String)
}
