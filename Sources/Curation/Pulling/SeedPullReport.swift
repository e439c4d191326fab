internal import Catalog
public import Diagnostics

/// The report of `seed pull` and `seed drift`: changed files, conflicts, and entries that only one side has.
public struct SeedPullReport: Report {
  private let pull: SeedPull
  private let changes: [SeedWorkspace.Change]
  private let isDrift: Bool
  private let tellsDifferences: Bool
  public var notes: [Diagnostic] { pull.diagnostics }

  /// - Parameters:
  ///   - isDrift: nothing was written.
  ///   - tellsDifferences: end with status 2 when there is any difference.
  public init(
    _ pull: SeedPull, _ workspace: SeedWorkspace, isDrift: Bool, tellsDifferences: Bool = false
  ) {
    self.pull = pull
    changes = workspace.changes
    self.isDrift = isDrift
    self.tellsDifferences = tellsDifferences
  }

  private var hasDifferences: Bool {
    !changes.isEmpty || !pull.conflicts.isEmpty || pull.pending > 0 || !pull.onlyInFiles.isEmpty
      || !pull.removedFromFiles.isEmpty
  }

  public var status: ExitStatus {
    let differs = isDrift ? tellsDifferences && hasDifferences : !pull.conflicts.isEmpty
    return differs ? .differences : .done
  }

  public var isConfirmation: Bool { pull.conflicts.isEmpty && (!isDrift || !hasDifferences) }

  public var json: JSONValue {
    var json: JSONObject = [
      "changes": .array(changes.map(\.json)), "conflicts": .array(pull.conflicts.map(\.json)),
      "pending": JSONValue(pull.pending), "onlyInFiles": .array(pull.onlyInFiles.map(JSONValue.string)),
      "removedFromFiles": .array(pull.removedFromFiles.map(JSONValue.string)),
    ]
    json["base"] = pull.revision.map(JSONValue.string)
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    guard hasDifferences else { return "The files match the container.\n" }
    var text = changes.map { $0.text(style) }.joined()
    for conflict in pull.conflicts {
      text += "\(style.red("!")) \(conflict.kind.rawValue) \(conflict.slug) \(conflict.field)\n"
      text += "    files:     \(TitleCleaner.shortened(conflict.file?.text() ?? "none", to: 100))\n"
      text += "    container: \(TitleCleaner.shortened(conflict.container?.text() ?? "none", to: 100))\n"
    }
    for entry in pull.onlyInFiles { text += "\(style.dim("·")) \(entry) is not in the container\n" }
    for entry in pull.removedFromFiles {
      text += "\(style.dim("·")) \(entry) was taken out of the files and is still in the container\n"
    }
    if pull.pending > 0 {
      text += "\(counted(pull.pending, "field")) changed in the files, not applied yet.\n"
    }
    if !pull.conflicts.isEmpty {
      text +=
        pull.revision == nil
        ? "The last applied commit is unknown: name it with --base, or choose with --prefer files or container.\n"
        : "Both sides changed these fields: choose with --prefer files or container.\n"
    }
    return text + (isDrift ? "Nothing was written.\n" : "")
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
