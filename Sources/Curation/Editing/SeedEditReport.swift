internal import Catalog
internal import CloudKitModel
package import Diagnostics
internal import Platform
internal import RecordChanges

package struct SeedEditReport: Report {
  private let changes: [SeedWorkspace.Change]
  private let files: [FileEdit]
  private let isDryRun: Bool
  package let notes: [Diagnostic]

  package init(_ workspace: SeedWorkspace, isDryRun: Bool, notes: [Diagnostic] = []) throws(CommandFailure) {
    changes = workspace.changes
    files = try workspace.edits()
    self.isDryRun = isDryRun
    self.notes = notes
  }

  package var isConfirmation: Bool { !isDryRun }

  package var json: JSONValue {
    [
      "changes": .array(changes.map(\.json)), "files": .array(files.map { .string($0.path) }),
      "dryRun": .bool(isDryRun),
    ]
  }

  package var body: ReportBody {
    if changes.isEmpty {
      "The seed files already contain everything."
    } else {
      changes.map(\.item)
      isDryRun ? "Nothing was written." : "Review the files, then run 'celestra-admin seed plan'."
    }
  }
}

extension SeedWorkspace.Change {
  var json: JSONValue {
    [
      "action": .string(action.rawValue), "kind": .string(kind.rawValue), "slug": .string(slug),
      "file": .string(file),
      "fields": .object(
        JSONObject(
          fields.sorted { $0.key < $1.key }.map { name, change in
            (name, ["from": change.from ?? .null, "to": change.to ?? .null])
          })),
    ]
  }

  var item: ListItem {
    ListItem(
      action == .create ? .created : .changed, "\(kind.rawValue) \(slug)  \(file, .dim)",
      details: fields.sorted { $0.key < $1.key }.map { name, change in
        "\(Self.difference(name, change.from, change.to))"
      })
  }

  /// `title: "Old" → "New"`; for a list, the elements that were added, removed or moved.
  static func difference(_ name: String, _ from: JSONValue?, _ to: JSONValue?) -> String {
    if let from = from?.string, let to = to?.string {
      return FieldChangeText().line(name, FieldChange(from: .string(from), to: .string(to)))
    }
    guard from?.array ?? to?.array != nil, from == nil || from?.array != nil, to == nil || to?.array != nil
    else { return "\(name): \(shown(from)) → \(shown(to))" }
    return FieldChangeText().line(
      name, FieldChange(from: .strings(from?.strings ?? []), to: .strings(to?.strings ?? [])))
  }

  static func shown(_ value: JSONValue?) -> String {
    TitleCleaner.shortened(value?.text() ?? "none", to: 100)
  }
}
