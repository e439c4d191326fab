internal import Diagnostics
public import SchemaLanguage

/// The differences between a container's schema and the file that declares it.
public struct SchemaDrift: Sendable {
  /// As the user named the file.
  let file: String
  /// What it would take to get from the container's schema to the file's, in the words of `schema diff`.
  let changes: [SchemaChange]

  public init(file: String, from container: Schema, to declared: Schema) {
    self.file = file
    changes = SchemaDiff.changes(from: container, to: declared)
  }

  /// The worst risk first, in the words of `schema diff`.
  var lines: [String] {
    let order: [SchemaChange.Risk] = [
      .dataLoss, .permissionWidening, .indexLoss, .permissionNarrowing, .none,
    ]
    return order.flatMap { risk in changes.filter { $0.risk == risk } }.map { change in
      let caution = change.caution.isEmpty ? "" : " (\(change.caution))"
      return "\(change.sign) \(change.heading): \(change.summary)\(caution)"
    }
  }

  var words: String {
    changes.isEmpty ? "as \(file) declares" : "\(counted(changes.count, "difference")) from \(file)"
  }
}
