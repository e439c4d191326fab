public import CloudKitModel
public import Diagnostics

/// One planned write of a record, with its changed fields before and after. Every job passes its writes to the
/// executor in this form.
public struct RecordChange: Sendable, Hashable {
  /// What the change does to its record.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    case create, update, delete
  }

  public var action: Action
  public var recordType: String
  public var recordName: String
  /// A readable name for the record: a slug or a URL.
  public var label: String?
  /// The change tag of the record when the change was planned; `nil` for a create.
  public var changeTag: String?
  /// The fields that this change writes. Empty for a delete.
  public var fields: [String: FieldChange]

  public init(
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
public struct FieldChange: Sendable, Hashable {
  public var from: FieldValue?
  public var to: FieldValue?

  public init(from: FieldValue? = nil, to: FieldValue?) {
    self.from = from
    self.to = to
  }

  public var isEmpty: Bool { from.isSame(as: to) }
}

extension RecordChange {
  /// The change that gives `existing` the desired values; `nil` if it has them already.
  ///
  /// Only the fields named in `desired` are compared and written, because the others have other owners. A desired
  /// `nil` clears the field.
  public static func toward(
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
  public static func making(
    _ fields: [String: FieldChange], recordType: String, recordName: String, isNew: Bool,
    changeTag: String?, label: String? = nil
  ) -> RecordChange? {
    guard isNew || !fields.isEmpty else { return nil }
    return RecordChange(
      isNew ? .create : .update, recordType: recordType, recordName: recordName, label: label,
      changeTag: changeTag, fields: fields)
  }
}

extension [String: FieldChange] {
  /// Adds the change of a field if its values differ.
  public mutating func note(_ change: FieldChange, of name: String) {
    if !change.isEmpty { self[name] = change }
  }
}

extension FieldValue? {
  /// An empty list and an absent value are the same, so that no plan differs for the type of an empty list, which older
  /// replies do not have (Documentation/reference/web-services.md#field-types).
  public func isSame(as other: FieldValue?) -> Bool { isAbsent ? other.isAbsent : self == other }

  private var isAbsent: Bool {
    switch self {
    case nil: true
    case .list(_, let elements)?: elements.isEmpty
    default: false
    }
  }
}

/// The error for a plan or a history file that cannot be parsed.
public struct ChangeCodingError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

extension RecordChange {
  /// The change with typed values, so that nothing is lost between planning and applying.
  public var json: JSONValue {
    var object: JSONObject = [
      "action": .string(action.rawValue), "recordType": .string(recordType),
      "recordName": .string(recordName),
    ]
    object["label"] = label.map(JSONValue.string)
    object["changeTag"] = changeTag.map(JSONValue.string)
    if !fields.isEmpty {
      let members = fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) }
      object["fields"] = .object(JSONObject(members))
    }
    return .object(object)
  }

  /// Throws ``ChangeCodingError``.
  public init(json: JSONValue) throws {
    guard let action = json["action"]?.string.flatMap(Action.init(rawValue:)),
      let recordType = json["recordType"]?.string, let recordName = json["recordName"]?.string
    else { throw ChangeCodingError("a change lacks its action, record type or record name") }
    self.init(
      action, recordType: recordType, recordName: recordName, label: json["label"]?.string,
      changeTag: json["changeTag"]?.string)
    for member in json["fields"]?.object?.members ?? [] {
      fields[member.key] = try FieldChange(json: member.value)
    }
  }
}

extension FieldChange {
  var json: JSONValue {
    var object = JSONObject()
    object["from"] = from?.json
    object["to"] = to?.json
    return .object(object)
  }

  init(json: JSONValue) throws {
    do throws(FieldValueError) {
      self.init(
        from: try json["from"].flatMapping(FieldValue.reading),
        to: try json["to"].flatMapping(FieldValue.reading))
    } catch {
      throw ChangeCodingError("a field value cannot be read: \(error.reason)")
    }
  }
}

extension Optional {
  fileprivate func flatMapping<Value, Failure>(
    _ transform: (Wrapped) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    if let wrapped = self { try transform(wrapped) } else { nil }
  }
}

extension ChangeCodingError: CommandFailureConvertible {
  public var failure: CommandFailure { CommandFailure(description, code: "bad-plan") }
}
