internal import Catalog
package import Diagnostics
package import RecordChanges

extension SeedPull {
  /// - Parameters:
  ///   - isCheck: end with status 2 for what a run would write, and for conflicts.
  ///   - authors: to also show when a record was changed, and whether this key did it.
  package func report(
    _ workspace: SeedWorkspace, isWritten: Bool, isCheck: Bool, authors: ChangeAuthors?
  ) -> PlainReport {
    let changes = workspace.changes
    let hasDifferences =
      !changes.isEmpty || !conflicts.isEmpty || pending > 0 || !onlyInFiles.isEmpty
      || !removedFromFiles.isEmpty || !repeatedInContainer.isEmpty
    let fails = isCheck && !changes.isEmpty || (isCheck || isWritten) && !conflicts.isEmpty
    func stamped(_ json: JSONValue, _ kind: SeedKind, _ slug: String) -> JSONValue {
      json.adding(["modified": authors.flatMap { authors in stamps[kind.key(slug)].map(authors.json) }])
    }
    let json: JSONObject = [
      "changes": .array(changes.map { stamped($0.json, $0.kind, $0.slug) }),
      "conflicts": .array(conflicts.map { stamped($0.json, $0.kind, $0.slug) }), "pending": pending.json,
      "onlyInFiles": onlyInFiles.json, "removedFromFiles": removedFromFiles.json,
      "repeatedInContainer": repeatedInContainer.isEmpty
        ? nil : repeatedInContainer.json,
      "base": commit?.json,
    ]
    return PlainReport(
      fails ? .differences : .done, json: .object(json), notes: diagnostics,
      isConfirmation: conflicts.isEmpty && (isWritten || !hasDifferences)
    ) {
      if hasDifferences {
        differences(changes, authors)
        if !isWritten { "Nothing was written." }
      } else if leftOut > 0 {
        "Nothing to pull; \(counted(leftOut, "record")) \(leftOut == 1 ? "is" : "are") left out, in whole or in part."
      } else {
        "The files match the container."
      }
    }
  }

  @ReportBodyBuilder private func differences(
    _ changes: [SeedWorkspace.Change], _ authors: ChangeAuthors?
  ) -> ReportBody {
    for change in changes { change.item.adding(stamp(change.kind, change.slug, authors)) }
    for conflict in conflicts {
      ListItem(
        .bad, "\(conflict.kind.rawValue) \(conflict.slug) \(conflict.field)",
        details: sides(of: conflict) + stamp(conflict.kind, conflict.slug, authors))
    }
    for entry in onlyInFiles { ListItem(.note, "\(entry) is not in the container") }
    for entry in repeatedInContainer {
      ListItem(.note, "\(entry) has several records in the container, so it was not compared")
    }
    for entry in removedFromFiles {
      ListItem(.note, "\(entry) was taken out of the files and is still in the container")
    }
    if pending > declined { "\(counted(pending - declined, "field")) changed in the files, not applied yet." }
    if declined > 0 { "The files' values of \(counted(declined, "field")) are kept, not applied yet." }
    for value in uncommitted {
      ListItem(
        .note,
        "\(value): the container has a value that was applied from uncommitted seeds; "
          + "--prefer container takes it into the files")
    }
    if conflicts.contains(where: { $0.obstacle != nil }) {
      "The files cannot take these values. The next apply writes theirs: --prefer files accepts that."
    }
    if conflicts.contains(where: { $0.obstacle == nil }) {
      hasUnknownSide
        ? "It is unknown what both sides had: name the commit with --base, or choose with --prefer files or container."
        : "Both sides changed these fields: choose with --prefer files or container."
    }
  }

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
  private func stamp(_ kind: SeedKind, _ slug: String, _ authors: ChangeAuthors?) -> [StyledText] {
    guard let authors, let stamp = stamps[kind.key(slug)] else { return [] }
    return ["changed \(authors.text(stamp))"]
  }
}

extension SeedPull.Conflict {
  fileprivate var json: JSONValue {
    [
      "kind": kind.rawValue.json, "slug": slug.json, "field": field.json, "file": file ?? .null,
      "container": container ?? .null,
    ]
  }
}
