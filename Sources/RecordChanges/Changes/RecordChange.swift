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
  /// The fields that this change writes. Empty for a delete.
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
}

/// The value of one field before and after a change; `nil` is an absent value.
package struct FieldChange: Sendable, Hashable {
  package var from: FieldValue?
  package var to: FieldValue?

  package init(from: FieldValue? = nil, to: FieldValue?) {
    self.from = from
    self.to = to
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
  /// The field of a decision that names a ``blockedUser``.
  package static let field = "blockedUser"
}

extension RecordChange {
  /// Whether the record's name is the digest of a person.
  package var isNamedByPerson: Bool { PersonDigestPlaces.recordTypes.contains(recordType) }

  /// The name of the record in outputs; `nil` if it is the digest of a person.
  package var shownName: String? { label ?? (isNamedByPerson ? nil : recordName) }

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
}

extension Record {
  /// The name that people know the record by, where its record name is a made-up or derived one: its slug, title or name.
  /// `nil` if the record name is as good.
  package var knownName: String? {
    let bytes = recordName.utf8
    guard bytes.count >= 32, bytes.allSatisfy({ $0.isHexDigit || $0 == UInt8(ascii: "-") }) else {
      return nil
    }
    return Self.knownNameFields.lazy.compactMap { self[$0]?.string }.first { !$0.isEmpty }
  }

  /// The fields of which ``knownName`` is made.
  package static let knownNameFields = ["slug", "title", "name"]

  /// Its title or name; `nil` without one.
  package var shownTitle: String? { self["title"]?.string ?? self["name"]?.string }
}

extension Container {
  /// The titles of records, by record name; without records that do not exist or have none. Throws the container's errors
  /// for the whole lookup only.
  package func titles(of recordNames: some Sequence<String>) async throws -> [String: String] {
    let outcomes = try await lookupAll(Set(recordNames).sorted(), desiredKeys: ["title", "name"])
    return outcomes.compactMap(\.record).reduce(into: [:]) { $0[$1.recordName] = $1.shownTitle }
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
