internal import CloudKitModel
internal import SchemaLanguage

/// The rules for undoing changes of a catalog's records: which fields jobs own, and which fields refer to other
/// records.
public struct UndoRules: Sendable {
  /// A field that refers to records.
  public struct Referrer: Sendable, Hashable {
    /// How the field holds the names of its targets.
    public enum Kind: Sendable, Hashable { case name, reference, list }

    public var recordType: String
    public var field: String
    public var kind: Kind
    /// The types of the records it refers to.
    public var targets: Set<String>
    /// True if the records are deleted with their target, instead of preventing its deletion.
    public var isDependent: Bool

    public init(
      _ recordType: String, _ field: String, _ kind: Kind, to targets: Set<String>, isDependent: Bool = false
    ) {
      self.recordType = recordType
      self.field = field
      self.kind = kind
      self.targets = targets
      self.isDependent = isDependent
    }
  }

  public var referrers: [Referrer]
  /// The named risk of deleting records of a type.
  public var risks: [String: String]
  /// Whether a job owns a field. Its value does not keep a record from being deleted, and needs no decision.
  public var isOwnedByJob: @Sendable (_ field: String, _ recordType: String) -> Bool

  public init(
    referrers: [Referrer] = [], risks: [String: String] = [:],
    isOwnedByJob: @escaping @Sendable (_ field: String, _ recordType: String) -> Bool = { _, _ in false }
  ) {
    self.referrers = referrers
    self.risks = risks
    self.isOwnedByJob = isOwnedByJob
  }
}

/// The references to the records that an undo would delete. A record that something refers to is kept.
struct IncomingReferences {
  /// A record that refers to another, which therefore cannot be deleted.
  struct Link {
    var recordName: String
    var field: String
    /// Why the target is kept.
    var reason: String
  }

  private var links: [String: [Link]] = [:]
  private var owned: [String: [RecordChange]] = [:]

  /// Names in one query (Documentation/reference/web-services.md#in-filters).
  private static let maxNames = 100

  /// Throws the container's errors. A type that cannot be read counts as referring to every record.
  init(rules: UndoRules, container: any Container, to deletions: [RecordChange]) async throws {
    for referrer in rules.referrers {
      let targets = deletions.filter { referrer.targets.contains($0.recordType) }.map(\.recordName)
      guard !targets.isEmpty else { continue }
      do {
        for record in try await Self.records(of: referrer, to: targets, in: container) {
          add(record, referrer, Set(targets))
        }
      } catch let refusal as ServerError where refusal.code == .notFound {
        // A schema without the type has no such records.
      } catch let refusal as ServerError where refusal.code == .accessDenied {
        let link = Link(
          recordName: "", field: referrer.field,
          reason: "\(referrer.recordType) records may refer to it, and cannot be read")
        for target in targets { links[target, default: []].append(link) }
      }
    }
  }

  private mutating func add(_ record: Record, _ referrer: UndoRules.Referrer, _ targets: Set<String>) {
    for target in record[referrer.field]?.referredNames ?? [] where targets.contains(target) {
      if referrer.isDependent {
        owned[target, default: []].append(
          RecordChange(
            .delete, recordType: record.recordType, recordName: record.recordName,
            changeTag: record.changeTag))
      } else {
        links[target, default: []].append(
          Link(
            recordName: record.recordName, field: referrer.field,
            reason: "a \(referrer.recordType) record refers to it"))
      }
    }
  }

  private static func records(
    of referrer: UndoRules.Referrer, to names: [String], in container: any Container
  ) async throws -> [Record] {
    let everything = Query(referrer.recordType)
    do {
      var found: [Record] = []
      for start in stride(from: 0, to: names.count, by: maxNames) {
        let chunk = Array(names[start...].prefix(maxNames))
        guard let value = referrer.values(chunk) else { break }
        var query = everything
        query.filters = [Filter(.init(referrer.field), .in, value)]
        found += try await container.allRecords(query, desiredKeys: [referrer.field])
      }
      if referrer.kind != .list { return found }
    } catch let refusal as ServerError where refusal.code == .badRequest {
      // The field has no index: every record is read.
    }
    return try await container.allRecords(everything, desiredKeys: [referrer.field])
  }

  func keeping(_ recordName: String) -> [Link] { links[recordName] ?? [] }
  func dependents(_ recordName: String) -> [RecordChange] { owned[recordName] ?? [] }
}

extension UndoRules.Referrer {
  /// What a filter compares the field with; `nil` for a list, which is read whole.
  fileprivate func values(_ names: [String]) -> FieldValue? {
    switch kind {
    case .name: .strings(names)
    case .reference: .references(names)
    case .list: nil
    }
  }
}

extension FieldValue {
  /// The record names in a STRING or REFERENCE field, or a list of them.
  var referredNames: [String] {
    switch self {
    case .string(let name): [name]
    case .reference(let reference): [reference.recordName]
    case .list(_, let elements): elements.flatMap(\.referredNames)
    default: []
    }
  }
}
