package import CloudKitModel

/// A field whose value only one record of a type may have. The service keeps no field unique
/// (Documentation/reference/catalog.md#uniqueness).
package struct UniqueField: Sendable {
  package var recordType: String
  package var field: String
  /// The text by which two values are compared; `nil` for a value that any number of records may have.
  package var key: @Sendable (FieldValue) -> String?

  package init(
    _ recordType: String, _ field: String, by key: @escaping @Sendable (FieldValue) -> String?
  ) {
    self.recordType = recordType
    self.field = field
    self.key = key
  }

  /// The text by which the record's value is compared; `nil` for a record of another type, or with a value that any
  /// number of records may have.
  package func key(of record: Record) -> ExactText? {
    record.recordType == recordType ? key(record[field]) : nil
  }

  func key(_ value: FieldValue?) -> ExactText? { value.flatMap(key).map(ExactText.init) }
}

/// The records that have a unique value which changes would give to another record.
struct UniqueValues {
  /// Each field that the changes write, with the records' keys before the changes.
  private var fields: [(field: UniqueField, keys: [String: ExactText])] = []

  /// Reads all records of the types in which the changes write a unique value: the values of a field are compared by
  /// keys, which no filter knows. Throws the container's errors.
  ///
  /// - Parameter recentlyCreated: records that are looked up if queries do not show them yet.
  init(
    _ unique: [UniqueField], in container: any Container, for changes: [RecordChange],
    recentlyCreated: Set<String> = []
  ) async throws {
    for (recordType, all) in Dictionary(grouping: unique, by: \.recordType) {
      let changes = changes.filter { $0.recordType == recordType }
      let written = all.map { field in
        (field, Set(changes.compactMap { field.key($0.fields[field.field]?.to) }))
      }.filter { !$0.1.isEmpty }
      guard !written.isEmpty else { continue }
      let desiredKeys = written.map(\.0.field)
      var names = recentlyCreated.union(changes.map(\.recordName))
      try await container.forEachRecord(of: Query(recordType), desiredKeys: desiredKeys) { record in
        let isTaken = written.contains { field, keys in field.key(of: record).map(keys.contains) ?? false }
        if isTaken { names.insert(record.recordName) }
      }
      // A query may show records as they were (Documentation/reference/web-services.md#index-delay).
      let records = try await container.existingRecords(names, desiredKeys: desiredKeys)
      fields += written.map { field, _ in (field, records.compactMapValues(field.key(of:))) }
    }
  }

  /// Why changes cannot be made, by record name, as words that follow it. Those that meet a record which keeps its value
  /// come first: only without any, changes are named that give one value to several records, except for the first.
  func conflicts(of changes: [RecordChange]) -> [String: String] {
    var standing: [String: String] = [:]
    var repeated: [String: String] = [:]
    for (field, keys) in fields {
      var kept = keys
      var given: [(name: String, key: ExactText)] = []
      for change in changes where change.recordType == field.recordType {
        guard change.action != .delete else {
          kept[change.recordName] = nil
          continue
        }
        guard let value = change.fields[field.field] else { continue }
        let key = field.key(value.to)
        // Another spelling of its own value takes none away.
        guard key != keys[change.recordName] else { continue }
        kept[change.recordName] = nil
        if let key { given.append((change.recordName, key)) }
      }
      let holders = Dictionary(kept.map { ($0.value, $0.key) }, uniquingKeysWith: min)
      var first: [ExactText: String] = [:]
      for (name, key) in given {
        if let holder = holders[key] {
          standing[name] = "its \(field.field) '\(key.text)' belongs to '\(holder)'"
        } else if let holder = first[key] {
          repeated[name] = "its \(field.field) '\(key.text)' goes to '\(holder)', which had it too"
        } else {
          first[key] = name
        }
      }
    }
    return standing.isEmpty ? repeated : standing
  }
}
