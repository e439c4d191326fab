internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

struct ContainerDiff: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show what changed between two container files.",
    discussion: """
      OLD and NEW are files: local containers, or mirrors that 'container backup' wrote. Compared are the record types that \
      both have, except AdminLease, which belongs to running jobs.

      Example: celestra-admin container diff yesterday.sqlite catalog.sqlite
      """)

  @Argument(help: "The former file.", completion: .file()) var old: String
  @Argument(help: "The later file.", completion: .file()) var new: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerDiff>

  func perform(in context: CommandContext) async throws -> any Report {
    let (old, new) = try (context.containerFile(old), context.containerFile(new))
    let schemas = try await [old.parsedSchema(), new.parsedSchema()]
    let differences = try await ContainerDifferences(
      from: old, to: new, except: [SystemNames.users, CatalogRecordType.adminLease],
      relations: context.relations(in: schemas))
    if !differences.digests.isEmpty {
      let areMirrors = [old, new].allSatisfy { $0.store.mirror != nil }
      context.note(Self.leftOut(differences.digests, areMirrors: areMirrors))
    }
    var report = ContainerDiffReport(uncompared: differences.uncompared)
    report.isIncomplete = [old, new].contains { $0.store.mirror?.gap != nil }
    for type in differences.types {
      try await differences.forEach(in: type) { report.add(from: $0, to: $1) }
    }
    return report
  }

  private static func leftOut(_ digests: [String: Set<String>], areMirrors: Bool) -> PrintableText {
    let fields = digests.flatMap { type, names in names.map { "\(type).\($0)" } }.sorted()
    let list = fields.joined(separator: ", ")
    return areMirrors
      ? "note: not compared, because each mirror has digests of persons by its own key: \(list). To compare them next time, copy the former mirror and its .key file, then run 'container backup' on the copy"
      : "note: not compared, because only one of the files is a mirror, which has digests of persons: \(list)"
  }
}

struct ContainerDiffReport: Report {
  /// Record types that only one of the files has.
  let uncompared: [String]
  /// One of the files is a mirror whose first copy has not ended.
  var isIncomplete = false
  private var changes: [RecordChange] = []
  /// What the text shows in the place of a record's name, by these names.
  private var titles: [String: String] = [:]
  private var counts: [RecordChange.Action: Int] = [:]
  /// More differences than these are counted only.
  private static let maxListed = 10_000

  init(uncompared: [String]) { self.uncompared = uncompared }

  mutating func add(from old: Record?, to new: Record?) {
    guard let record = new ?? old else { return }
    let action: RecordChange.Action = old == nil ? .create : new == nil ? .delete : .update
    counts[action, default: 0] += 1
    guard changes.count < Self.maxListed else { return }
    var fields: [String: FieldChange] = [:]
    let (before, after) = (old?.fields ?? [:], new?.fields ?? [:])
    for name in Set(before.keys).union(after.keys) where new != nil {
      fields.note(FieldChange(from: before[name], to: after[name]), of: name)
    }
    changes.append(
      RecordChange(
        action, recordType: record.recordType, recordName: record.recordName, label: record["slug"]?.string,
        fields: fields))
    if changes.last?.isNamedByPerson == false { titles[record.recordName] = record.titleAndName }
  }

  private func count(_ action: RecordChange.Action) -> Int { counts[action] ?? 0 }
  private var total: Int { counts.values.reduce(0, +) }

  var isConfirmation: Bool { total == 0 && uncompared.isEmpty }

  var json: JSONValue {
    [
      "created": count(.create).json, "updated": count(.update).json, "deleted": count(.delete).json,
      "complete": .bool(changes.count == total && !isIncomplete), "uncompared": uncompared.json,
      "changes": .array(changes.map { .object($0.planJSON(slug: $0.label)) }),
    ]
  }

  var body: ReportBody {
    ReportBody.changes(changes, total: total, slugs: titles, isSorted: true)
    if !uncompared.isEmpty { "only one of the files has \(uncompared.joined(separator: ", "))" }
    "\(count(.create)) created, \(count(.update)) updated, \(count(.delete)) deleted"
  }
}
