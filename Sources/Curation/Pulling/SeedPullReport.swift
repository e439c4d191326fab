internal import Catalog
package import Diagnostics
package import RecordChanges

package struct SeedPullReport: Report {
  private let pull: SeedPull
  private let changes: [SeedWorkspace.Change]
  private let isWritten: Bool
  private let isCheck: Bool
  private let authors: ChangeAuthors?
  package var notes: [Diagnostic] { pull.diagnostics }

  /// - Parameters:
  ///   - isWritten: the changes were written to the files.
  ///   - isCheck: end with status 2 for what a run would write, and for conflicts.
  ///   - authors: to also show when a record was changed, and whether this key did it.
  package init(
    _ pull: SeedPull, _ workspace: SeedWorkspace, isWritten: Bool, isCheck: Bool, authors: ChangeAuthors?
  ) {
    self.authors = authors
    self.pull = pull
    changes = workspace.changes
    self.isWritten = isWritten
    self.isCheck = isCheck
  }

  private var hasDifferences: Bool {
    !changes.isEmpty || !pull.conflicts.isEmpty || pull.pending > 0 || !pull.onlyInFiles.isEmpty
      || !pull.removedFromFiles.isEmpty || !pull.repeatedInContainer.isEmpty
  }

  package var status: ExitStatus {
    let differs = isCheck && !changes.isEmpty || (isCheck || isWritten) && !pull.conflicts.isEmpty
    return differs ? .differences : .done
  }

  package var isConfirmation: Bool { pull.conflicts.isEmpty && (isWritten || !hasDifferences) }

  package var json: JSONValue {
    var json: JSONObject = [
      "changes": .array(changes.map { stamped($0.json, $0.kind, $0.slug) }),
      "conflicts": .array(pull.conflicts.map { stamped($0.json, $0.kind, $0.slug) }),
      "pending": JSONValue(pull.pending), "onlyInFiles": .array(pull.onlyInFiles.map(JSONValue.string)),
      "removedFromFiles": .array(pull.removedFromFiles.map(JSONValue.string)),
    ]
    if !pull.repeatedInContainer.isEmpty {
      json["repeatedInContainer"] = .array(pull.repeatedInContainer.map(JSONValue.string))
    }
    json["base"] = pull.commit.map(JSONValue.string)
    return .object(json)
  }

  package var body: ReportBody {
    if hasDifferences { differences } else { "The files match the container." }
  }

  @ReportBodyBuilder private var differences: ReportBody {
    for change in changes { change.item.adding(stamp(change.kind, change.slug)) }
    for conflict in pull.conflicts {
      ListItem(
        .bad, "\(conflict.kind.rawValue) \(conflict.slug) \(conflict.field)",
        details: sides(of: conflict) + stamp(conflict.kind, conflict.slug))
    }
    for entry in pull.onlyInFiles { ListItem(.note, "\(entry) is not in the container") }
    for entry in pull.repeatedInContainer {
      ListItem(.note, "\(entry) has several records in the container, so it was not compared")
    }
    for entry in pull.removedFromFiles {
      ListItem(.note, "\(entry) was taken out of the files and is still in the container")
    }
    if pull.pending > 0 { "\(counted(pull.pending, "field")) changed in the files, not applied yet." }
    for value in pull.uncommitted {
      ListItem(
        .note,
        "\(value): the container has a value that was applied from uncommitted seeds; "
          + "--prefer container takes it into the files")
    }
    if pull.conflicts.contains(where: { $0.obstacle != nil }) {
      "The files cannot take these values. The next apply writes theirs: --prefer files accepts that."
    }
    if pull.conflicts.contains(where: { $0.obstacle == nil }) {
      pull.hasNoBase
        ? "The last applied commit is unknown: name it with --base, or choose with --prefer files or container."
        : "Both sides changed these fields: choose with --prefer files or container."
    }
    if !isWritten { "Nothing was written." }
  }
}

extension SeedPullReport {
  private func sides(of conflict: SeedPull.Conflict) -> [StyledText] {
    let (file, container) = (
      SeedWorkspace.Change.shown(conflict.file), SeedWorkspace.Change.shown(conflict.container)
    )
    if conflict.obstacle != nil || conflict.file?.array == nil || conflict.container?.array == nil,
      file != container
    {
      return ["files:     \(file)", "container: \(container)\(conflict.obstacle.map { "; \($0)" } ?? "")"]
    }
    return [
      "\(SeedWorkspace.Change.difference("files against container", conflict.container, conflict.file))"
    ]
  }

  /// `changed 2026-11-20T10:00:00Z by another user`
  private func stamp(_ kind: SeedKind, _ slug: String) -> [StyledText] {
    guard let authors, let stamp = pull.lastChange(kind, slug) else { return [] }
    return ["changed \(authors.text(stamp))"]
  }

  private func stamped(_ json: JSONValue, _ kind: SeedKind, _ slug: String) -> JSONValue {
    guard let authors, let stamp = pull.lastChange(kind, slug), var object = json.object else { return json }
    object["modified"] = authors.json(stamp)
    return .object(object)
  }
}

extension SeedPull.Conflict {
  fileprivate var json: JSONValue {
    [
      "kind": .string(kind.rawValue), "slug": .string(slug), "field": .string(field), "file": file ?? .null,
      "container": container ?? .null,
    ]
  }
}
