package import CloudKitModel

extension [RecordChange] {
  /// The changes, with the deletions that the container would make by itself: of records that refer to a deleted one
  /// with the action DELETE_SELF, and of those that refer to these
  /// (Documentation/reference/web-services.md#references). As changes of their own they are shown, counted and kept in
  /// the history, and undo restores them. Each comes before the record it refers to.
  ///
  /// A record stays when the changes write another value to the field. Records of types that the key may not read are left
  /// to the container. Throws the container's other errors.
  ///
  /// - Parameter noteReference: called for each record that refers to a deleted one, and does not go with it.
  package func withCascades(
    _ references: ReferenceFields, in container: any Container,
    noteReference: (_ record: Record, _ target: String) -> Void = { _, _ in }
  ) async throws -> [RecordChange] {
    var deleted = Set(filter { $0.action == .delete }.map(\.recordName))
    var cascades: [String: [RecordChange]] = [:]
    let written = Dictionary(
      filter { $0.action == .update }.map { ($0.recordName, $0.fields) }, uniquingKeysWith: { $1 })
    var next = filter { $0.action == .delete }
    let reader = ReferringRecords(in: container)
    while !next.isEmpty {
      var found: [RecordChange] = []
      for field in references.all where field.kind != .name {
        let targets = Set(next.filter { field.mayName($0.recordType) }.map(\.recordName))
        guard !targets.isEmpty else { continue }
        do {
          for link in try await reader.links(of: field, to: targets) {
            let value = written[link.record.recordName]?[field.field].map(\.to) ?? link.record[field.field]
            guard value?.cascadeTargets.contains(link.target) ?? false else {
              if value?.referredNames.contains(link.target) ?? false {
                noteReference(link.record, link.target)
              }
              continue
            }
            guard deleted.insert(link.record.recordName).inserted else { continue }
            let deletion = RecordChange(deleting: link.record)
            cascades[link.target, default: []].append(deletion)
            found.append(deletion)
          }
        } catch let refusal as ServerError where refusal.code == .accessDenied {}
      }
      next = found
    }
    guard !cascades.isEmpty else { return self }
    return flatMap { change in change.action == .delete ? Self.ordered(change, cascades) : [change] }
  }

  /// A deletion behind those of the records that go with it.
  private static func ordered(
    _ deletion: RecordChange, _ cascades: [String: [RecordChange]]
  ) -> [RecordChange] {
    var stack = [deletion]
    var reversed: [RecordChange] = []
    while let change = stack.popLast() {
      reversed.append(change)
      stack += cascades[change.recordName] ?? []
    }
    return reversed.reversed()
  }
}

extension RecordChange {
  /// The deletion of a record as it was read.
  package init(deleting record: Record) {
    self.init(
      .delete, recordType: record.recordType, recordName: record.recordName, changeTag: record.changeTag)
  }
}
