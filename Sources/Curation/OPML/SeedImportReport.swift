public import Diagnostics

/// The report of `seed import`: the outlines it read and the feeds it added. The counts add up: every outline is a
/// folder, a feed or skipped, and every feed is new, known, a near-duplicate or unusable.
public struct SeedImportReport: Report {
  private let outlines: Int
  private let folders: Int
  private let counts: OPMLImport.Counts
  private let unknownAttributes: Int
  private let changes: [SeedWorkspace.Change]
  private let isDryRun: Bool
  public let findings: [Diagnostic]

  public init(_ file: OPMLFile, _ run: OPMLImport, _ workspace: SeedWorkspace, isDryRun: Bool) {
    outlines = file.outlines
    folders = file.folders
    unknownAttributes = file.unknownAttributes
    counts = run.counts
    changes = workspace.changes
    findings = run.diagnostics.sortedForReading()
    self.isDryRun = isDryRun
  }

  private var feeds: Int { counts.new + counts.known + counts.nearDuplicates + counts.unusable }

  public var failure: CommandFailure? {
    guard
      let fatal = findings.first(where: {
        $0.code == CurationRule.notOPML.code || $0.code == CurationRule.tooLarge.code
      })
    else { return nil }
    return CommandFailure("nothing was imported: \(fatal.message)", code: "bad-opml")
  }

  public var json: JSONValue {
    func number(_ value: Int) -> JSONValue { JSONValue(value) }
    return [
      "outlines": number(outlines), "folders": number(folders), "feeds": number(feeds),
      "new": number(counts.new),
      "known": number(counts.known), "nearDuplicates": number(counts.nearDuplicates),
      "unusable": number(counts.unusable), "skipped": number(counts.skipped),
      "unknownAttributes": number(unknownAttributes), "changes": .array(changes.map(\.json)),
      "dryRun": .bool(isDryRun),
    ]
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    var text = TextRenderer(colored: style.isColored).render(findings)
    text += changes.prefix(50).map { $0.text(style) }.joined()
    if changes.count > 50 { text += "… and \(changes.count - 50) more\n" }
    let kinds = [
      (counts.new, "new"), (counts.known, "known"), (counts.nearDuplicates, "near-duplicate"),
      (counts.unusable, "unusable"), (counts.skipped, "skipped"),
    ]
    let parts = kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    text +=
      "\(counted(outlines, "outline")): \(counted(folders, "folder")), \(parts.isEmpty ? "no feeds" : parts).\n"
    if unknownAttributes > 0 {
      text += "\(counted(unknownAttributes, "attribute")) of other programs left out.\n"
    }
    return text + (isDryRun ? "Nothing was written.\n" : "")
  }
}
